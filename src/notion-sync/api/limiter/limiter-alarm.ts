import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { describeError } from '../../../common/errors';
import { UnitOfWorkFactory } from '../../../common/uow';
import { LimiterHealth } from './limiter-health';
import { DeskPort } from '../../sync/desk-port';
import { LIMITER_SUBJECT } from '../../sync/notion-desk';

/** Raises an attention item while calls of Notion miss their starts, and closes it afterwards. */
@Injectable()
export class LimiterAlarm implements OnModuleInit {
  private readonly logger = new Logger('Notion');

  constructor(
    private readonly condition: LimiterHealth,
    private readonly units: UnitOfWorkFactory,
    private readonly port: DeskPort,
  ) {}

  onModuleInit(): void {
    this.condition.onChange((trouble) => void this.store(trouble));
  }

  /** A failure is not repeated here: the condition tells again while the trouble lasts. */
  private async store(trouble: string | null): Promise<void> {
    try {
      await this.units.run('notion-alarm', (uow) =>
        uow.commit('notion.alarm', (tx) =>
          trouble === null
            ? this.port.desk.settle(tx, LIMITER_SUBJECT)
            : this.port.desk.raise(tx, {
                kind: 'stalled',
                subject: LIMITER_SUBJECT,
                reason: trouble,
              }),
        ),
      );
    } catch (error) {
      this.logger.warn(`attention was not told about missed starts: ${describeError(error)}`);
    }
  }
}
