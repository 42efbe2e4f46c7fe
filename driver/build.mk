driver_SRC :=
