export { WebModule } from './web.module';
export { routedUrl } from './web-server';
export { EVENTS } from './events/event-frames';

declare module '../../common/uow' {
  interface LabelAreas {
    web: 'chat' | 'events' | 'page';
  }
}
