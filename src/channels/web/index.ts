export { WebModule } from './web.module';
export { registerWebServer } from './web-server';
export { EVENTS } from './events/event-frames';
