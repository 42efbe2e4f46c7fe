#include "../../kern/thrust.h"
