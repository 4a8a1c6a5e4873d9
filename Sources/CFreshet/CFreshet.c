#include "CFreshet.h"
