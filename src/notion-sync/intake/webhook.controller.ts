import { Body, Controller, Headers, HttpCode, Post, Query, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { COMMAND } from '../../common/command-name';
import { ProblemError, RawBody } from '../../common/http';
import { type UnitOfWork, withRequestUnit } from '../../common/uow';
import { EventIntake } from './event-intake';
import { WebhookHealth, WebhookMetrics } from './webhook-health';
import { BODY_LIMIT, WebhookGuard } from './webhook-guard';
import { EnrolmentNonce, NO_TOKEN, WebhookToken } from './webhook-token';
import { EnrolmentRepository } from './enrolment.repository';
import { handshakeTokenIn, webhookEventIn } from './webhook-event';

/** Anybody can send a handshake, so a longer body is not parsed. */
const HANDSHAKE_BYTES = 4096;

/**
 * The integration's webhook. 200 means stored, or nothing to do; after any status but 2xx Notion sends
 * the event again, for a day.
 */
@ApiExcludeController()
@Controller('webhooks/notion')
export class NotionWebhookController {
  constructor(
    private readonly intake: EventIntake,
    private readonly token: WebhookToken,
    private readonly nonce: EnrolmentNonce,
    private readonly enrolment: EnrolmentRepository,
    private readonly guard: WebhookGuard,
    private readonly health: WebhookHealth,
    private readonly metrics: WebhookMetrics,
  ) {}

  @Post()
  @HttpCode(200)
  @RawBody(BODY_LIMIT)
  async take(
    @Req() request: FastifyRequest,
    @Headers('x-notion-signature') signature: string | undefined,
    @Query('enrol') shownNonce: unknown,
    @Body() body: Buffer | undefined,
  ): Promise<void> {
    const bytes = body ?? Buffer.alloc(0);
    // A parameter that was given twice is a list, which counts as no nonce.
    const nonce = typeof shownNonce === 'string' ? shownNonce : '';
    await withRequestUnit(request, (uow) =>
      signature === undefined
        ? this.takeUnsigned(uow, bytes, nonce)
        : this.takeSigned(uow, bytes, signature),
    );
  }

  private async takeSigned(uow: UnitOfWork, bytes: Buffer, signature: string): Promise<void> {
    await this.requireGenuine(uow, bytes, signature);
    this.guard.admitGenuine();
    const event = webhookEventIn(this.guard.jsonIn(bytes));
    if (event === null) {
      throw this.guard.refusal(
        'malformed',
        new ProblemError(400, 'malformed_request', 'This is not an event of Notion.'),
      );
    }
    await this.guard.storing(this.intake.take(uow, event));
  }

  private async requireGenuine(uow: UnitOfWork, bytes: Buffer, signature: string): Promise<void> {
    const verdict = await this.token.judge(uow, bytes, signature);
    if (verdict === 'genuine') {
      this.health.recovered('token', 'Events of Notion are received.');
      return;
    }
    const problem = new ProblemError(
      401,
      'signature_wrong',
      'The signature does not match the token of this webhook.',
    );
    if (verdict === 'no_token') {
      this.health.failed('token', NO_TOKEN);
      throw this.guard.refusal('wrongly_signed', problem);
    }
    throw this.guard.refusal('wrongly_signed', problem, FORGED);
  }

  /** Only the handshake is not signed. */
  private async takeUnsigned(uow: UnitOfWork, bytes: Buffer, nonce: string): Promise<void> {
    const token = bytes.length > HANDSHAKE_BYTES ? null : handshakeTokenIn(jsonOrNull(bytes));
    if (token === null) {
      const problem = new ProblemError(401, 'signature_missing', 'The request is not signed.');
      throw this.guard.refusal('unsigned', problem, UNSIGNED);
    }
    if (!(await this.nonce.isOpen(uow, nonce)) || !(await this.enrol(uow, token, nonce))) {
      const problem = new ProblemError(403, 'enrolment_closed', 'Enrolment is closed.');
      throw this.guard.refusal('not_enrolling', problem, NOT_ENROLLING);
    }
    this.token.forget();
    this.metrics.event('enrolled');
    this.health.note(ENROLLED);
    this.health.recovered('token', 'A verification token is known now.');
  }

  private enrol(uow: UnitOfWork, token: string, nonce: string): Promise<boolean> {
    return uow.commit('notion.enrol', (tx) => this.enrolment.enrol(tx, token, nonce));
  }
}

function jsonOrNull(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    return null;
  }
}

const FORGED = `A request to the webhook of Notion is signed with another token and was refused. If it comes from Notion, run ${COMMAND} notion enrol, or see NOTION_WEBHOOK_TOKEN.`;
const UNSIGNED = 'A request to the webhook of Notion is not signed and was refused.';
const NOT_ENROLLING = `A verification token was sent to the webhook of Notion and refused: enrolment is not open, or the request came to another address than the one shown. Run ${COMMAND} notion enrol, then create the subscription with the address that it prints.`;
const ENROLLED = `The verification token of Notion's webhook is stored and enrolment is closed: ${COMMAND} notion enrol --show shows it, to be entered in Notion.`;
