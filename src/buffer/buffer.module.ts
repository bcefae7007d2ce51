import { Module, type OnApplicationBootstrap } from '@nestjs/common';
import { Settings } from '../common/config';
import { RunMode } from '../common/run-mode';
import { UnitOfWorkFactory } from '../common/uow';
import { JobRegistry, JobsModule } from '../jobs';
import { BufferDrain } from './buffer-drain';
import { BufferMetrics } from './buffer.metrics';
import { BufferRepository } from './buffer.repository';
import { BufferService } from './buffer.service';
import { ExpirySweep, FlushAdmission } from './flush';
import { FlushRepository } from './flush.repository';

/**
 * Collects answers. Expects global Clock, Drain, Settings, Metrics, RunMode, UnitOfWorkFactory and DomainEvents,
 * and a module with the handler of queue `flush`.
 */
@Module({
  imports: [JobsModule],
  providers: [
    BufferDrain,
    BufferMetrics,
    BufferRepository,
    BufferService,
    ExpirySweep,
    FlushAdmission,
    FlushRepository,
  ],
  exports: [BufferService, FlushAdmission],
})
export class BufferModule implements OnApplicationBootstrap {
  constructor(
    private readonly queues: JobRegistry,
    private readonly buffer: BufferService,
    private readonly units: UnitOfWorkFactory,
    private readonly settings: Settings,
    private readonly mode: RunMode,
  ) {}

  /** With the buffer switched off, buffers that an earlier start of a server left waiting are due now. */
  async onApplicationBootstrap(): Promise<void> {
    // Throws when no module handles what is collected here: the application must not start.
    this.queues.get('flush');
    if (this.settings.buffer.enabled || !this.mode.isServing) return;
    await this.units.run('buffer.start', (uow) =>
      uow.commitOne('buffer.start', (tx) =>
        this.buffer.makeOpenBuffersDue(tx, { appendedHere: false }),
      ),
    );
  }
}
