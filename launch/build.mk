# Launches described in text: what a program runs by itself, and what the command line says of it.
launch_SRC := $(addprefix launch/,values.c text.c directive.c expression.c plan.c layout.c layout_print.c layout_fill.c files.c npy.c \
    npy_type.c picture_png.c outputs.c binary.c)
