/* limits.h: the named limits of a module and of its text. The parser reports what goes beyond them
 * (rule `limit`); code that builds IR may rely on counts within them fitting 32 bits with room to spare.
 */
#ifndef KERNC_IR_LIMITS_H
#define KERNC_IR_LIMITS_H

#define IR_MAX_TEXT         (256u << 20) /* bytes of a module's text */
#define IR_MAX_NAME         255u         /* bytes of a name */
#define IR_MAX_STRING       (1u << 16)   /* bytes of a printf format, trap message or file name */
#define IR_MAX_INSTRUCTIONS (1u << 20)   /* instructions, constants and parameters of a function */
#define IR_MAX_BLOCKS       (1u << 18)   /* blocks of a function */
#define IR_MAX_PARAMS       4096u        /* parameters of a block that is not the entry */
#define IR_MAX_EDGES        (1u << 16)   /* successors of a block */
#define IR_MAX_FUNCTIONS    (1u << 16)
#define IR_MAX_OBJECTS      (1u << 16)
#define IR_MAX_SIGNATURES   (1u << 16)
#define IR_MAX_HOSTS        (1u << 16)
#define IR_MAX_STRINGS      (1u << 16)   /* printf formats and trap messages */
#define IR_MAX_LAUNCHES     (1u << 12)
#define IR_MAX_PREDICTIONS  (1u << 12)   /* prediction regions of a function */
#define IR_MAX_OBJECT_BYTES (1u << 28)   /* bytes of an object, or of one alloca */
#define IR_MAX_ALIGN        (1u << 12)   /* alignment of an object or alloca */

#endif
