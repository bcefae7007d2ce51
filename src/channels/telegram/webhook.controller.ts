import { Body, Controller, Headers, HttpCode, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { timingSafeEqual } from 'node:crypto';
import type { Update } from 'telegraf/types';
import { Settings } from '../../common/config';
import { ProblemError } from '../../common/http';
import { hashToken } from '../../common/ids';
import { UpdateIntake } from './intake/update-intake';

/**
 * Where Telegram pushes updates. Whatever is not 200 makes it send the update again, and holds the
 * chat's later ones back: 200 means stored.
 */
@ApiExcludeController()
@Controller('webhooks/telegram')
export class TelegramWebhookController {
  private readonly secret;
  private readonly isOn;

  constructor(
    settings: Settings,
    private readonly intake: UpdateIntake,
  ) {
    const { mode, webhookSecret } = settings.telegram;
    this.isOn = mode === 'webhook' && webhookSecret !== '';
    this.secret = Buffer.from(hashToken(webhookSecret));
  }

  @Post()
  @HttpCode(200)
  async take(
    @Headers('x-telegram-bot-api-secret-token') shown: string | undefined,
    @Body() update: unknown,
  ): Promise<void> {
    if (!this.isOn) throw new ProblemError(404, 'not_found', 'There is nothing here.');
    // Of equal length whatever was shown, so that the comparison takes the same time.
    if (!timingSafeEqual(Buffer.from(hashToken(shown ?? '')), this.secret)) {
      throw new ProblemError(401, 'secret_unknown', 'This is not the secret of this webhook.');
    }
    if (!isUpdate(update)) {
      throw new ProblemError(400, 'malformed_request', 'This is not an update.');
    }
    await this.intake.take(update);
  }
}

/** Of a peer that has shown our secret: an id is all that is checked, kinds may be new. */
function isUpdate(body: unknown): body is Update {
  if (typeof body !== 'object' || body === null || !('update_id' in body)) return false;
  return Number.isSafeInteger(body.update_id);
}
