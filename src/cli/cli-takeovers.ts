import { Logger, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Takeovers as TakeoversType } from '../interview';
import type { CliContext } from './cli-context';
import { groundModule } from './cli-ground';

/**
 * Runs `work` with what the application does when a person takes a conversation over. Nothing is
 * sent here: the message waits in the database for a running application.
 */
export async function withTakeovers<T>(
  cli: CliContext,
  work: (takeovers: TakeoversType) => Promise<T>,
): Promise<T> {
  // Loaded only here: the other commands start faster without it.
  const { TakeoversModule, Takeovers } = await import('../interview');
  const { DeliveryModule } = await import('../delivery');
  const { telegramOutbox } = await import('../channels/telegram');

  @Module({
    imports: [groundModule(cli), DeliveryModule, TakeoversModule],
    // Also without the bot's token here: the application that sends may have it.
    providers: telegramOutbox,
  })
  class TakeoversCommandModule {}

  Logger.overrideLogger(['error']);
  const context = await NestFactory.createApplicationContext(TakeoversCommandModule);
  try {
    return await work(context.get(Takeovers, { strict: false }));
  } finally {
    await context.close();
  }
}
