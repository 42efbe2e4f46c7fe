/* opencl.h: read before each .cl file: copies of a work group, which are made at once by its work items. */
#ifndef __KERN_OPENCL_H__
#define __KERN_OPENCL_H__

#define event_t                       int
#define async_work_group_strided_copy __kern_strided_copy_is_missing
#define async_work_group_copy(to, from, count, event)                                                        \
    ({                                                                                                       \
        size_t at_ =                                                                                         \
            (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);   \
        for (; at_ < (count); at_ += get_local_size(0) * get_local_size(1) * get_local_size(2))              \
            (to)[at_] = (from)[at_];                                                                         \
        (event_t)0;                                                                                          \
    })
#define wait_group_events(count, events) barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define prefetch(from, count)            ((void)(from))

#endif
