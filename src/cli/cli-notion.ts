import { type INestApplicationContext, Logger, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { NotionToolsModule } from '../notion-sync';
import { type CliContext, withCli } from './cli-context';
import { groundModule } from './cli-ground';
import { RefusedInputError } from './command';

/** Runs `work` with what looks at Notion; its calls wait for permits beside a running application. */
export function withNotionTools(
  work: (notion: INestApplicationContext) => Promise<void>,
): Promise<void> {
  return withCli(async (cli) => {
    if (cli.settings.notion.token === '') {
      throw new RefusedInputError('NOTION_TOKEN is not set: the Notion sync is off.');
    }
    Logger.overrideLogger(['error']);
    const context = await NestFactory.createApplicationContext(inspectModule(cli));
    try {
      await work(context);
    } finally {
      await context.close();
    }
  });
}

function inspectModule(cli: CliContext) {
  @Module({ imports: [groundModule(cli), NotionToolsModule] })
  class InspectModule {}
  return InspectModule;
}
