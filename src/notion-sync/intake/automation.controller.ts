import { Body, Controller, Headers, HttpCode, Ip, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Settings } from '../../common/config';
import { FailedAttempts, ProblemError, RawBody } from '../../common/http';
import { AutomationIntake } from './automation-intake';
import { BODY_LIMIT, IntakeDoor } from './intake-door';
import { isSameSecret } from './signature';

/** Where automations "Send webhook" post. Notion does not sign them: a secret header stands for that. */
@ApiExcludeController()
@Controller('webhooks/notion/automation')
export class NotionAutomationController {
  private readonly secret;

  constructor(
    settings: Settings,
    private readonly intake: AutomationIntake,
    private readonly door: IntakeDoor,
    private readonly attempts: FailedAttempts,
  ) {
    this.secret = settings.notionSync.automationSecret;
  }

  @Post()
  @HttpCode(200)
  @RawBody(BODY_LIMIT)
  async take(
    @Headers('x-colloquy-secret') shown: string | undefined,
    @Ip() address: string,
    @Body() body: Buffer | undefined,
  ): Promise<void> {
    // Without a secret it does not exist, as the admin API without its token.
    if (this.secret === '') throw new ProblemError(404, 'not_found', 'There is nothing here.');
    if (!isSameSecret(shown ?? '', this.secret)) {
      const problem = new ProblemError(
        401,
        'secret_unknown',
        'This is not the secret of this webhook.',
      );
      const refusal = this.attempts.failed('Notion automations', address, problem);
      throw this.door.refusal('wrong_secret', refusal, WRONG_SECRET);
    }
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
