export { type Day, addDays, dayIn, daysBetween, parseDay } from './day';
export { type Place, UnknownPlaceError } from './holidays';
export { type Projection, type Work, project } from './project';
export { WorkCalendar } from './work-calendar';
