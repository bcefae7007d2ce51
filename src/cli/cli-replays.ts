import { Logger, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AttentionService, AttentionReplays } from '../attention';
import { DeliveryModule } from '../delivery';
import { PersistenceModule } from '../persistence';
import { JobsModule } from '../jobs';
import type { CliContext } from './cli-context';
import { groundModule } from './cli-ground';

/**
 * Runs `work` with the replays that the application registers at its boot. A replay only writes
 * rows; no task runs here, so the answer itself is a running application's to give.
 */
export async function withReplays<T>(cli: CliContext, work: () => Promise<T>): Promise<T> {
  Logger.overrideLogger(['error']);
  const context = await NestFactory.createApplicationContext(await replaysModule(cli));
  try {
    return await work();
  } finally {
    await context.close();
  }
}

/** The interview and the channel are loaded only here: the other commands start faster without it. */
async function replaysModule(cli: CliContext): Promise<Type> {
  const { telegramReplays } = await import('../channels/telegram');
  const { DeliveryReplay, ReviewReplay, TurnReplay } = await import('../interview');
  const { BoardReplay } = await import('../notion-desk');
  const { NotionApprovalModule } = await import('../notion-sync');

  @Module({
    imports: [
      groundModule(cli),
      DeliveryModule,
      NotionApprovalModule,
      PersistenceModule,
      JobsModule,
    ],
    providers: [
      { provide: AttentionService, useValue: cli.attention },
      { provide: AttentionReplays, useValue: cli.replays },
      BoardReplay,
      DeliveryReplay,
      ReviewReplay,
      TurnReplay,
      ...telegramReplays,
    ],
  })
  class ReplaysModule {}
  return ReplaysModule;
}
