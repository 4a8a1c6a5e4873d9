#ifndef CFRESHET_H
#define CFRESHET_H
#endif
