import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { PeerHealth } from '../../../common/lifecycle';
import type { ApiFailure } from './bot-api-errors';

/** Through which updates come in: somebody else may be asking for them, with the same good token. */
const INTAKE = new Set(['getUpdates', 'setWebhook']);
/** A bot that comes and goes says so from time to time. */
const QUIET_MS = 600_000;

/**
 * Whether the bot can be reached, by the last thing that the Bot API let us know. Shown by the
 * readiness probe as `telegram`; it never takes the process out of service.
 */
@Injectable()
export class BotHealth {
  private readonly logger = new Logger('Telegram');
  private ofCalls: string | null = 'it has not answered yet';
  private ofIntake: string | null = null;
  private shown: string | null = this.ofCalls;
  private readonly toldAtMs = new Map<string, number>();

  constructor(
    conditions: PeerHealth,
    private readonly clock: Clock,
  ) {
    conditions.register('telegram', () => this.trouble);
  }

  answered(method: string): void {
    this.ofCalls = null;
    if (INTAKE.has(method)) this.ofIntake = null;
    this.tell();
  }

  /** A refusal of one call says nothing about the bot, unless no update comes in because of it. */
  failed(method: string, failure: ApiFailure): void {
    const trouble = troubleOf(failure);
    if (failure.kind === 'conflict') this.ofIntake = trouble;
    else if (trouble !== null) this.ofCalls = trouble;
    else if (failure.kind === 'refused' && INTAKE.has(method)) {
      this.ofIntake = `${method} is refused (${String(failure.code)} ${failure.description})`;
    }
    this.tell();
  }

  private get trouble(): string | null {
    return this.ofCalls ?? this.ofIntake;
  }

  private tell(): void {
    const { trouble } = this;
    if (trouble === this.shown) return;
    this.shown = trouble;
    const line = trouble === null ? 'the bot is connected' : `the bot is in trouble: ${trouble}`;
    const nowMs = this.clock.monotonicMs();
    if (nowMs - (this.toldAtMs.get(line) ?? -Infinity) < QUIET_MS) return;
    this.toldAtMs.set(line, nowMs);
    if (trouble === null) this.logger.log(line);
    else this.logger.warn(line);
  }
}

function troubleOf(failure: ApiFailure): string | null {
  switch (failure.kind) {
    case 'unauthorized':
      return 'the token is not a bot: see TELEGRAM_BOT_TOKEN';
    case 'conflict':
      return 'another process asks for updates with this token';
    case 'unreachable':
      return 'the Bot API cannot be reached';
    case 'server_error':
      return `the Bot API does not answer as it should (status ${String(failure.code)})`;
    case 'unknown':
      return `the Bot API does not answer as it should (${failure.cause})`;
    case 'paused':
    case 'blocked':
    case 'refused':
      return null;
  }
}
