import {
  Body,
  type CanActivate,
  Controller,
  type ExecutionContext,
  HttpCode,
  Injectable,
  Logger,
  Post,
  Req,
  UseGuards,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Settings } from '../../common/config';
import { ColloquyError } from '../../common/errors';
import { FailedAttempts, ProblemError } from '../../common/http';
import { isSameSecret } from '../../common/ids';
import { withRequestUnit } from '../../common/uow';
import { isUpdate } from './intake/update-handling';
import { UpdateIntake } from './intake/update-intake';

/** Of an update that could not be stored. */
const RETRY_AFTER_S = 2;

/** Checks Telegram's secret before the body is read. */
@Injectable()
export class TelegramSecretGuard implements CanActivate {
  private readonly secret;
  private readonly isOn;

  constructor(
    settings: Settings,
    private readonly attempts: FailedAttempts,
  ) {
    const { mode, webhookSecret } = settings.telegram;
    this.isOn = mode === 'webhook' && webhookSecret !== '';
    this.secret = webhookSecret;
  }

  canActivate(context: ExecutionContext): true {
    if (!this.isOn) throw new ProblemError(404, 'not_found', 'There is nothing here.');
    const { headers, ip } = context.switchToHttp().getRequest<FastifyRequest>();
    const shown = headers['x-telegram-bot-api-secret-token'];
    if (isSameSecret(typeof shown === 'string' ? shown : '', this.secret)) return true;
    const title = 'This is not the secret of this webhook.';
    const problem = new ProblemError(401, 'secret_unknown', title);
    throw this.attempts.failed('Telegram webhook', ip, problem);
  }
}

/**
 * Receives the updates that Telegram pushes. 200 means stored; any other status makes Telegram send the
 * update again and hold back the chat's later ones.
 */
@ApiExcludeController()
@UseGuards(TelegramSecretGuard)
@Controller('webhooks/telegram')
export class TelegramWebhookController {
  private readonly logger = new Logger('Telegram');

  constructor(private readonly intake: UpdateIntake) {}

  @Post()
  @HttpCode(200)
  async take(@Req() request: FastifyRequest, @Body() update: unknown): Promise<void> {
    if (!isUpdate(update)) {
      throw new ProblemError(400, 'malformed_request', 'This is not an update.');
    }
    try {
      await withRequestUnit(request, (uow) => this.intake.take(uow, update));
    } catch (error) {
      throw this.refusalOf(error);
    }
  }

  /** After any error Telegram keeps the update and sends it again. */
  private refusalOf(error: unknown): unknown {
    if (error instanceof ColloquyError && error.retryable) return error;
    this.logger.error('an update could not be stored; Telegram sends it again', error);
    return new ProblemError(503, 'unavailable', 'This is not available now; try again later.', {
      retryAfterS: RETRY_AFTER_S,
    });
  }
}
