base_SRC := base/memory.c base/arena.c base/containers.c base/text.c base/file.c base/source.c base/diag.c \
            base/diag_render.c base/launch.c base/launch_parse.c
