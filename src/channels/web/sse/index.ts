export { Bell } from './bell';
export { type EventId, formatEventId, parseEventId } from './event-id';
export { OpenStreams } from './open-streams';
export { SseResponse } from './sse-response';
