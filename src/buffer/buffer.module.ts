import { Module } from '@nestjs/common';
import { JobsModule } from '../jobs';
import { BufferMetrics } from './buffer.metrics';
import { BufferService } from './buffer.service';
import { BufferStart } from './buffer-start';
import { ExpirySweep } from './expiry-sweep';
import { FlushAdmission } from './flush';
import { FlushWorker } from './flush.worker';
import { FlushPort } from './flush-port';
import { MessageEdits } from './message-edits';
import { MessageIntake } from './message-intake';

/**
 * Collects answers. Expects global Clock, Settings, Metrics and UnitOfWorkFactory, the schedule module,
 * and some module that provides a FlushHandler.
 */
@Module({
  imports: [JobsModule],
  providers: [
    BufferMetrics,
    BufferService,
    BufferStart,
    ExpirySweep,
    FlushAdmission,
    FlushWorker,
    FlushPort,
    MessageEdits,
    MessageIntake,
  ],
  exports: [BufferService],
})
export class BufferModule {}
