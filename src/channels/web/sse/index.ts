export { type EventId, formatEventId, parseEventId } from './event-id';
export { OpenStreams, type StreamReaders } from './open-streams';
export type { SseResponse } from './sse-response';
