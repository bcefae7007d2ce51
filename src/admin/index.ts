export { AdminModule } from './admin.module';

declare module '../common/uow' {
  interface LabelAreas {
    admin: 'admin' | 'rating' | 'comment';
  }
}
