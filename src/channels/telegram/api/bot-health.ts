import { Injectable, Logger } from '@nestjs/common';
import { COMMAND } from '../../../common/command-name';
import { Clock } from '../../../common/clock';
import { PeerHealth } from '../../../common/lifecycle';
import { QuietLog } from '../../../common/logging';
import { type ApiFailure, TIMEOUT } from './bot-api-errors';

/** The calls through which updates come in. They can fail alone: another process may use the token. */
const INTAKE = new Set(['getUpdates', 'setWebhook']);
const ADVICE = `Messages and replies wait and go on by themselves when the bot is reached; "${COMMAND} doctor" checks it.`;

/**
 * Whether the bot can be reached, by the last response of the Bot API. The readiness probe shows it as
 * `telegram`; it never takes the process out of service.
 */
@Injectable()
export class BotHealth {
  private readonly lines: QuietLog;
  private callProblem: string | null = 'the Bot API has not responded yet';
  private intakeProblem: string | null = null;
  private shown: string | null = this.callProblem;

  constructor(peers: PeerHealth, clock: Clock) {
    this.lines = new QuietLog(new Logger('Telegram'), clock);
    peers.register('telegram', () => this.problem, ADVICE);
  }

  responded(method: string): void {
    this.callProblem = null;
    if (INTAKE.has(method)) this.intakeProblem = null;
    this.report();
  }

  /** A refused call is no problem of the bot, unless updates come in by this call. */
  failed(method: string, failure: ApiFailure): void {
    const problem = problemOf(failure);
    if (failure.kind === 'conflict') this.intakeProblem = problem;
    else if (problem !== null) this.callProblem = problem;
    else if (failure.kind === 'refused' && INTAKE.has(method)) {
      this.intakeProblem = `${method} is refused (${String(failure.code)} ${failure.description})`;
    }
    this.report();
  }

  private get problem(): string | null {
    return this.callProblem ?? this.intakeProblem;
  }

  private report(): void {
    const { problem } = this;
    if (problem === this.shown) return;
    this.shown = problem;
    if (problem === null) this.lines.log('the bot is connected');
    else this.lines.warn(`the bot has a problem: ${problem}`);
  }
}

function problemOf(failure: ApiFailure): string | null {
  switch (failure.kind) {
    case 'unauthorized':
      return 'Telegram does not know the token; check TELEGRAM_BOT_TOKEN';
    case 'conflict':
      return 'another process polls for updates with this token; stop that process, or give it its own bot';
    case 'unreachable':
      return 'the Bot API cannot be reached; check the network and TELEGRAM_API_ROOT';
    case 'server_error':
      return `the Bot API responds with status ${String(failure.code)}; if this lasts, check TELEGRAM_API_ROOT`;
    case 'unknown':
      if (failure.cause === TIMEOUT) {
        return 'the Bot API did not respond in time; check the network and TELEGRAM_API_ROOT';
      }
      return `the Bot API sends unusable responses (${failure.cause}); check TELEGRAM_API_ROOT and the proxy`;
    case 'paused':
    case 'blocked':
    case 'refused':
      return null;
  }
}
