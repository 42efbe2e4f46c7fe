/* helper_timer.h: what CUDA's samples have in a header of this name: it is declared only. */
#ifndef __KERN_HELPER_TIMER_H__
#define __KERN_HELPER_TIMER_H__

struct StopWatchInterface;
bool sdkCreateTimer(StopWatchInterface **);
bool sdkDeleteTimer(StopWatchInterface **);
bool sdkStartTimer(StopWatchInterface **);
bool sdkStopTimer(StopWatchInterface **);
bool sdkResetTimer(StopWatchInterface **);
float sdkGetTimerValue(StopWatchInterface **);
float sdkGetAverageTimerValue(StopWatchInterface **);

#endif
