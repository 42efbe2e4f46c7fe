#include "../kern/thrust.h"
