import { Body, Controller, Headers, HttpCode, Ip, Logger, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { timingSafeEqual } from 'node:crypto';
import { Settings } from '../../common/config';
import { ColloquyError, describeError } from '../../common/errors';
import { FailedAttempts, ProblemError } from '../../common/http';
import { hashToken } from '../../common/ids';
import { isUpdate } from './intake/incoming';
import { UpdateIntake } from './intake/update-intake';

/** Of an update that could not be stored. */
const RETRY_AFTER_S = 2;

/**
 * Where Telegram pushes updates. Whatever is not 200 makes it send the update again, and holds the
 * chat's later ones back: 200 means stored.
 */
@ApiExcludeController()
@Controller('webhooks/telegram')
export class TelegramWebhookController {
  private readonly logger = new Logger('Telegram');
  private readonly secret;
  private readonly isOn;

  constructor(
    settings: Settings,
    private readonly intake: UpdateIntake,
    private readonly attempts: FailedAttempts,
  ) {
    const { mode, webhookSecret } = settings.telegram;
    this.isOn = mode === 'webhook' && webhookSecret !== '';
    this.secret = Buffer.from(hashToken(webhookSecret));
  }

  @Post()
  @HttpCode(200)
  async take(
    @Headers('x-telegram-bot-api-secret-token') shown: string | undefined,
    @Ip() address: string,
    @Body() update: unknown,
  ): Promise<void> {
    if (!this.isOn) throw new ProblemError(404, 'not_found', 'There is nothing here.');
    // Of equal length whatever was shown, so that the comparison takes the same time.
    if (!timingSafeEqual(Buffer.from(hashToken(shown ?? '')), this.secret)) {
      const title = 'This is not the secret of this webhook.';
      const problem = new ProblemError(401, 'secret_unknown', title);
      throw this.attempts.failed('Telegram webhook', address, problem);
    }
    if (!isUpdate(update)) {
      throw new ProblemError(400, 'malformed_request', 'This is not an update.');
    }
    try {
      await this.intake.take(update);
    } catch (error) {
      throw this.refusalOf(error);
    }
  }

  /** Whatever it was, Telegram keeps the update and sends it again. */
  private refusalOf(error: unknown): unknown {
    if (error instanceof ColloquyError && error.retryable) return error;
    this.logger.error(`an update could not be stored: ${describeError(error)}`);
    return new ProblemError(503, 'unavailable', 'This is not available now; try again later.', {
      retryAfterS: RETRY_AFTER_S,
    });
  }
}
