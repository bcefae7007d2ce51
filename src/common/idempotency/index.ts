export {
  Idempotent,
  IdempotentCall,
  type ResponseKeeper,
  identifyCaller,
} from './idempotency.interceptor';
export { IdempotencyModule } from './idempotency.module';

declare module '../uow' {
  interface LabelAreas {
    idempotency: 'idempotency';
  }
}
