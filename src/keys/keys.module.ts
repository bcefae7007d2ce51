import { Module } from '@nestjs/common';
import { KeyLimits } from './key-limits';
import { KeyLookup } from './key-lookup';
import { KeyRepository } from './key.repository';
import { ApiKeys } from './keys.service';

/**
 * Keys for programs. A module whose controllers use `@RequireScope` imports it. Expects a global Clock,
 * Settings, FailedAttempts and SignalConnection.
 */
@Module({
  providers: [ApiKeys, KeyLimits, KeyLookup, KeyRepository],
  exports: [ApiKeys, KeyLimits, KeyLookup],
})
export class KeysModule {}
