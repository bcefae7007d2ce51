/**
 * `npm run api:types`: writes the types of the API to api.gen.ts, from the OpenAPI document that a server shows
 * at /docs/openapi.json. It starts nothing: no database, no port.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import openapiTS, { COMMENT_HEADER, astToString } from 'openapi-typescript';
import { apiDocument } from '../../src/bootstrap/api-document';
import { serverModule } from '../../src/bootstrap/application';
import { SystemClock } from '../../src/common/clock';
import { Settings } from '../../src/common/config';
import { ControlConnection, SignalConnection, createDataSource } from '../../src/persistence';

/** Nothing connects to it. */
const NOWHERE = 'postgres://nowhere.invalid/none';

async function documented(): Promise<ReturnType<typeof apiDocument>> {
  const settings = Settings.fromEnvironment({});
  const clock = new SystemClock();
  const connections = {
    dataSource: createDataSource({ url: NOWHERE, poolSize: 2 }),
    control: new ControlConnection(NOWHERE, clock),
    signals: new SignalConnection(NOWHERE, clock),
    release: () => Promise.resolve(),
  };
  // In a preview no provider is made.
  const app = await NestFactory.create<NestFastifyApplication>(
    await serverModule({ settings, clock }, connections),
    new FastifyAdapter(),
    { preview: true, logger: ['error'], abortOnError: false },
  );
  return apiDocument(app);
}

async function main(): Promise<void> {
  // As JSON, which has no `undefined`.
  const document = JSON.stringify(await documented());
  const types = astToString(await openapiTS(document, { alphabetize: true }));
  writeFileSync(path.join(__dirname, 'api.gen.ts'), COMMENT_HEADER + types);
}

void main();
