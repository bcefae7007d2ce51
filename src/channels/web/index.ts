export { WebModule } from './web.module';
export { routedUrl } from './page.controller';
export { registerWebServer } from './web-server';
export { EVENTS } from './events/event-frames';
