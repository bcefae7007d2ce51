import { Global, Module } from '@nestjs/common';
import { IdempotencyRepository } from './idempotency.repository';
import { IdempotencySweep } from './idempotency-sweep';

/** What `@Idempotent()` needs wherever it stands. Expects global Clock and UnitOfWorkFactory. */
@Global()
@Module({
  providers: [IdempotencyRepository, IdempotencySweep],
  exports: [IdempotencyRepository],
})
export class IdempotencyModule {}
