export { aborted } from './aborted';
export { Clock } from './clock';
export { SystemClock } from './system-clock';
