import { Injectable, Logger } from '@nestjs/common';
import { COMMAND } from '../../common/command-name';
import { PeerHealth } from '../../common/lifecycle';

const ADVICE = `No board is ranked until then, and interviews go on; "${COMMAND} notion doctor" checks every property.`;

/**
 * Whether boards can be ranked at all, by the last reading of the data source's schema. The readiness
 * probe shows it as `notion_board`; it never takes the process out of service.
 */
@Injectable()
export class BoardHealth {
  private readonly logger = new Logger('NotionSync');
  private problem: string | null = null;

  constructor(conditions: PeerHealth) {
    conditions.register('notion_board', () => this.problem, ADVICE);
  }

  /** A sentence why the schema cannot be used; null: it can. */
  seen(problem: string | null): void {
    if (problem === this.problem) return;
    const hadProblem = this.problem !== null;
    this.problem = problem;
    if (problem !== null) this.logger.warn(`No board can be ranked. ${problem}`);
    else if (hadProblem) this.logger.log('The properties of the board can be used again');
  }
}
