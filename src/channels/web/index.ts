export { WebModule } from './web.module';
export { registerWebServer } from './web-server';
