import {
  Injectable,
  Body,
  type CanActivate,
  Controller,
  type ExecutionContext,
  HttpCode,
  Post,
  Req,
  UseGuards,
} from '@nestjs/common';
import { z } from 'zod';
import { Settings } from '../../common/config';
import { describeProblem, notionIdOf } from '../board/board-schema';
import { EventBatcher } from './event-batcher';
import { WebhookHealth, type EventOutcome, WebhookMetrics } from './webhook-health';
import { OwnBot } from './own-bot';
import { type ReadPage, readPage } from './page-changes';
import { isOwnEcho, otherSentence } from './webhook-event';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { FailedAttempts, ProblemError, RawBody } from '../../common/http';
import { isSameSecret } from '../../common/ids';
import { type UnitOfWork, withRequestUnit } from '../../common/uow';
import { BODY_LIMIT, WebhookGuard } from './webhook-guard';

const CALL = z.object({
  source: z
    .object({
      event_id: z
        .string()
        .regex(/^[\w-]{1,100}$/)
        .nullish()
        .catch(null),
      attempt: z.number().nullish().catch(null),
      user_id: z.string().nullish().catch(null),
    })
    .nullish()
    .catch(null),
  data: z.unknown(),
});

/** What the automation "Send webhook" sends: a page with its properties. */
export interface AutomationCall extends ReadPage {
  /** Null: the payload has no id, so a repetition cannot be recognised. */
  readonly key: string | null;
  /** Who triggered it; null: unknown. */
  readonly authorId: string | null;
}

/**
 * Handles calls of automations. They contain the page's properties, so the boards that change are known
 * without reading the page, unless the assignee property is missing from them.
 */
@Injectable()
export class AutomationIntake {
  private readonly board;

  constructor(
    settings: Settings,
    private readonly batcher: EventBatcher,
    private readonly bot: OwnBot,
    private readonly health: WebhookHealth,
    private readonly metrics: WebhookMetrics,
  ) {
    const { dataSourceId } = settings.notionSync;
    this.board = { dataSourceId, names: settings.notionBoard.names };
  }

  /** Null: the payload is not that of an automation. */
  callIn(json: unknown): AutomationCall | null {
    const { data: call } = CALL.safeParse(json);
    const page = readPage(call?.data, this.board);
    if (call === undefined || page === null) return null;
    const { event_id: id, attempt, user_id: userId } = call.source ?? {};
    return {
      ...page,
      key: id == null ? null : `automation:${id}:${String(attempt ?? 1)}`,
      authorId: notionIdOf(userId ?? ''),
    };
  }

  async take(uow: UnitOfWork, call: AutomationCall): Promise<void> {
    const { authorId, key, pageId, reading } = call;
    const isEcho = isOwnEcho({ authorIds: authorId === null ? [] : [authorId] }, this.bot.botId);
    const outcome = isEcho
      ? 'own_echo'
      : await this.batcher.take(uow, {
          key,
          happenedAt: null,
          author: authorId ?? '',
          about: { kind: 'page', pageId, reading },
        });
    this.metrics.event(outcome);
    this.logSkipped(call, outcome);
  }

  private logSkipped({ reading }: AutomationCall, outcome: EventOutcome): void {
    if (outcome === 'other_data_source' && reading.kind === 'elsewhere') {
      this.health.log(otherSentence(reading.dataSourceId));
    }
    if (reading.kind === 'ours') this.health.assigneesAreRead();
    if (reading.kind === 'unreadable') {
      this.health.log(
        `An automation sends pages without their assignee, so each page is read. ${describeProblem(reading.problem)} Add the assignee property to the automation.`,
      );
    }
  }
}

/** Checks the automation's secret before the body is read. */
@Injectable()
export class AutomationSecretGuard implements CanActivate {
  private readonly secret;

  constructor(
    settings: Settings,
    private readonly guard: WebhookGuard,
    private readonly attempts: FailedAttempts,
  ) {
    this.secret = settings.notionSync.automationSecret;
  }

  canActivate(context: ExecutionContext): true {
    // Without a configured secret the webhook does not exist, like the admin API without a token.
    if (this.secret === '') throw new ProblemError(404, 'not_found', 'There is nothing here.');
    const { headers, ip } = context.switchToHttp().getRequest<FastifyRequest>();
    const shown = headers['x-colloquy-secret'];
    if (typeof shown === 'string' && isSameSecret(shown, this.secret)) return true;
    const title = 'This is not the secret of this webhook.';
    const problem = new ProblemError(401, 'secret_unknown', title);
    const refusal = this.attempts.failed('Notion automations', ip, problem);
    throw this.guard.refusal('wrong_secret', refusal, WRONG_SECRET);
  }
}

/** Receives the automation "Send webhook". Notion does not sign it, so a secret header identifies it. */
@ApiExcludeController()
@UseGuards(AutomationSecretGuard)
@Controller('webhooks/notion/automation')
export class NotionAutomationController {
  constructor(
    private readonly intake: AutomationIntake,
    private readonly guard: WebhookGuard,
  ) {}

  @Post()
  @HttpCode(200)
  @RawBody(BODY_LIMIT)
  async take(@Req() request: FastifyRequest, @Body() body: Buffer | undefined): Promise<void> {
    this.guard.admitGenuine();
    const call = this.intake.callIn(this.guard.jsonIn(body ?? Buffer.alloc(0)));
    if (call === null) {
      throw this.guard.refusal(
        'malformed',
        new ProblemError(400, 'malformed_request', 'The body is not a page of Notion.'),
      );
    }
    await this.guard.storing(withRequestUnit(request, (uow) => this.intake.take(uow, call)));
  }
}

const WRONG_SECRET =
  'A call of an automation was refused because of its secret: the header x-colloquy-secret has to contain NOTION_AUTOMATION_SECRET.';
