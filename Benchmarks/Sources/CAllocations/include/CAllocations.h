#ifndef CALLOCATIONS_H
#define CALLOCATIONS_H

/// How many blocks the calling thread has taken from malloc; 0 where that is not counted.
long allocations_of_this_thread(void);

/// How many blocks all threads take from malloc from begin to end; 0 where that is not counted.
/// One count at a time.
void begin_allocations_of_all_threads(void);
long end_allocations_of_all_threads(void);

/// How many bytes of malloc's blocks are in use in the whole process, their headers included;
/// 0 where that is not known.
long bytes_in_use(void);

#endif
