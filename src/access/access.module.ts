import { Module } from '@nestjs/common';
import { KeyLimits } from './keys/key-limits';
import { KeyLookup } from './keys/key-lookup';
import { KeyRepository } from './keys/key.repository';
import { ApiKeys } from './keys/keys.service';

/**
 * Keys for programs. A module whose controllers use `@RequireScope` imports it. Expects a global Clock,
 * Settings, FailedAttempts and SignalConnection.
 */
@Module({
  providers: [ApiKeys, KeyLimits, KeyLookup, KeyRepository],
  exports: [ApiKeys, KeyLimits, KeyLookup],
})
export class AccessModule {}
