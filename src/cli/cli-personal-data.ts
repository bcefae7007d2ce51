import { Logger, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { PersonalDataService } from '../privacy';
import type { CliContext } from './cli-context';
import { groundModule } from './cli-ground';

/** Runs `work` with what the application knows about personal data. No task runs here. */
export async function withPersonalData<T>(
  cli: CliContext,
  work: (personal: PersonalDataService) => Promise<T>,
): Promise<T> {
  // Loaded only here: the other commands start faster without it.
  const { PersonalDataService, PersonalDataModule } = await import('../privacy');

  @Module({ imports: [groundModule(cli), PersonalDataModule] })
  class PersonalDataCommandModule {}

  Logger.overrideLogger(['error']);
  const context = await NestFactory.createApplicationContext(PersonalDataCommandModule);
  try {
    return await work(context.get(PersonalDataService, { strict: false }));
  } finally {
    await context.close();
  }
}
