/* sys/mman.h: pages have no protection; space.c gives what space.h asks for. */
