export { WebModule } from './web.module';
export { registerWebServer, routedUrl } from './web-server';
export { EVENTS } from './events/event-frames';
