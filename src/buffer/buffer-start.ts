import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Settings } from '../common/config';
import { UnitOfWorkFactory } from '../common/uow';
import { JobRegistry } from '../jobs';
import { BufferService } from './buffer.service';

/** What the buffer does when the application starts. */
@Injectable()
export class BufferStart implements OnApplicationBootstrap {
  constructor(
    private readonly queues: JobRegistry,
    private readonly buffer: BufferService,
    private readonly units: UnitOfWorkFactory,
    private readonly settings: Settings,
  ) {}

  /** With the buffer switched off, buffers that an earlier start left waiting are due now. */
  async onApplicationBootstrap(): Promise<void> {
    // Throws when no module handles what is collected here: the application must not start.
    this.queues.get('flush');
    if (this.settings.buffer.enabled) return;
    await this.units.run('buffer.start', (uow) =>
      uow.commitOne('buffer.start', (tx) =>
        this.buffer.makeOpenBuffersDue(tx, { appendedHere: false }),
      ),
    );
  }
}
