export { type Day, addDays, dayIn, daysBetween, later, parseDay } from './day';
export { HORIZON_DAYS, type Place, UnknownPlaceError, WorkCalendar } from './work-calendar';
