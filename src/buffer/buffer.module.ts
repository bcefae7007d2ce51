import { Module } from '@nestjs/common';
import { JobsModule } from '../jobs';
import { BufferMetrics } from './buffer.metrics';
import { BufferService } from './buffer.service';
import { BufferStart } from './buffer-start';
import { ExpirySweep } from './expiry-sweep';
import { FlushAdmission } from './flush';
import { MessageEdits } from './message-edits';
import { MessageIntake } from './message-intake';

/**
 * Collects answers. Expects global Clock, Settings, Metrics, UnitOfWorkFactory and EventBus, the
 * schedule module, and a module with the handler of queue `flush`.
 */
@Module({
  imports: [JobsModule],
  providers: [
    BufferMetrics,
    BufferService,
    BufferStart,
    ExpirySweep,
    FlushAdmission,
    MessageEdits,
    MessageIntake,
  ],
  exports: [BufferService, FlushAdmission],
})
export class BufferModule {}
