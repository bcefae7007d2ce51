import {
  Body,
  type CanActivate,
  Controller,
  type ExecutionContext,
  HttpCode,
  Injectable,
  Post,
  UseGuards,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Settings } from '../../common/config';
import { FailedAttempts, ProblemError, RawBody } from '../../common/http';
import { AutomationIntake } from './automation-intake';
import { BODY_LIMIT, WebhookGuard } from './intake-door';
import { isSameSecret } from './signature';

/** Lets automations through, by the secret that they show, before the body is read. */
@Injectable()
export class AutomationSecretGuard implements CanActivate {
  private readonly secret;

  constructor(
    settings: Settings,
    private readonly door: WebhookGuard,
    private readonly attempts: FailedAttempts,
  ) {
    this.secret = settings.notionSync.automationSecret;
  }

  canActivate(context: ExecutionContext): true {
    // Without a secret it does not exist, as the admin API without its token.
    if (this.secret === '') throw new ProblemError(404, 'not_found', 'There is nothing here.');
    const { headers, ip } = context.switchToHttp().getRequest<FastifyRequest>();
    const shown = headers['x-colloquy-secret'];
    if (typeof shown === 'string' && isSameSecret(shown, this.secret)) return true;
    const title = 'This is not the secret of this webhook.';
    const problem = new ProblemError(401, 'secret_unknown', title);
    const refusal = this.attempts.failed('Notion automations', ip, problem);
    throw this.door.refusal('wrong_secret', refusal, WRONG_SECRET);
  }
}

/** Where automations "Send webhook" post. Notion does not sign them: a secret header stands for that. */
@ApiExcludeController()
@UseGuards(AutomationSecretGuard)
@Controller('webhooks/notion/automation')
export class NotionAutomationController {
  constructor(
    private readonly intake: AutomationIntake,
    private readonly door: WebhookGuard,
  ) {}

  @Post()
  @HttpCode(200)
  @RawBody(BODY_LIMIT)
  async take(@Body() body: Buffer | undefined): Promise<void> {
    this.door.admitGenuine();
    const call = this.intake.callIn(this.door.jsonIn(body ?? Buffer.alloc(0)));
    if (call === null) {
      throw this.door.refusal(
        'malformed',
        new ProblemError(400, 'malformed_request', 'This is no page of Notion.'),
      );
    }
    await this.door.storing(this.intake.take(call));
  }
}

const WRONG_SECRET =
  'A call of an automation shows another secret and was refused: the header x-colloquy-secret has to hold NOTION_AUTOMATION_SECRET.';
