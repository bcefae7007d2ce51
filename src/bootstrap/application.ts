import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { DynamicModule, LoggerService, NestApplicationOptions } from '@nestjs/common';
import type { ServerOptions } from 'node:http';
import path from 'node:path';
import { AppModule } from '../app.module';
import { TelegramOutboxModule } from '../channels/telegram/outbox.channel';
import { routedUrl } from '../channels/web';
import type { Clock } from '../common/clock';
import type { Settings } from '../common/config';
import {
  respondToFrameworkError,
  respondToProtocolError,
  cutSlowReaders,
  limitRawBodies,
  traceRequests,
} from '../common/http';
import { newId } from '../common/ids';
import { describeApi } from './api-document';
import {
  type Connections,
  ControlConnection,
  SignalConnection,
  createDataSource,
} from '../persistence';

const BODY_LIMIT = 256 * 1024;
/** How often the server checks for requests that arrive too slowly. */
const LONGEST_CHECK_MS = 5000;
const LONGEST_HEADERS_MS = 60_000;
const PAGE_DIRECTORY = path.join(__dirname, '..', 'web');

/** A migrated database, and how to run on it. */
export interface ApplicationOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly databaseUrl: string;
  /** Where LISTEN and NOTIFY go; the same by default. */
  readonly signalsUrl?: string;
  readonly logger: LoggerService;
  /** Folder of the built candidate page; by default next to this file. */
  readonly pageDirectory?: string;
  /** Modules of further channels. */
  readonly channels?: readonly DynamicModule[];
}

/**
 * Builds the application, which does not listen or claim jobs yet. `close()` does the whole drain:
 * it finishes what was begun, hands back the rest, and releases the database last.
 */
export async function createApplication(
  options: ApplicationOptions,
): Promise<NestFastifyApplication> {
  const { settings, clock, databaseUrl } = options;
  const dataSource = createDataSource({ url: databaseUrl, poolSize: settings.database.poolSize });
  await dataSource.initialize();
  const control = new ControlConnection(databaseUrl, clock);
  const signals = new SignalConnection(options.signalsUrl ?? databaseUrl, clock);
  const release = async (): Promise<void> => {
    await control.close();
    await signals.close();
    await dataSource.destroy();
  };
  try {
    return await compose(options, { dataSource, control, signals, release });
  } catch (error) {
    await release();
    throw error;
  }
}

/** Rooms register their own steps, at the start and in a drain, in `onModuleInit`. */
async function compose(
  options: ApplicationOptions,
  connections: Connections,
): Promise<NestFastifyApplication> {
  const { settings, clock, logger, pageDirectory = PAGE_DIRECTORY } = options;
  const further = [
    ...(await channelsOf(settings)),
    ...(await optionalModules(settings)),
    ...(options.channels ?? []),
  ];
  // The framework's own body parser would override the limit of a single route.
  const nestOptions: NestApplicationOptions = { logger, bodyParser: false, abortOnError: false };
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.on({ settings, clock, connections, pageDirectory, further }),
    httpAdapter(settings, clock),
    nestOptions,
  );
  await app.init();
  describeApi(app);
  return app;
}

function httpAdapter({ http }: Settings, clock: Clock): FastifyAdapter {
  const adapter = new FastifyAdapter({
    bodyLimit: BODY_LIMIT,
    genReqId: newId,
    requestTimeout: http.requestTimeoutMs,
    http: arrivalTimeouts(http.requestTimeoutMs),
    forceCloseConnections: true,
    trustProxy: trustProxyOf(http.trustProxy),
    frameworkErrors: respondToFrameworkError,
    rewriteUrl: routedUrl,
    clientErrorHandler: respondToProtocolError,
  });
  const server = adapter.getInstance();
  traceRequests(server);
  limitRawBodies(server);
  cutSlowReaders(server, { graceMs: http.responseTimeoutMs, clock });
  return adapter;
}

/** Node does not check bodies while its limit for headers is above its limit for whole requests. */
function arrivalTimeouts(requestTimeout: number): ServerOptions {
  const connectionsCheckingInterval = Math.min(LONGEST_CHECK_MS, Math.ceil(requestTimeout / 4));
  const headersTimeout = Math.min(LONGEST_HEADERS_MS, requestTimeout);
  return { requestTimeout, headersTimeout, connectionsCheckingInterval };
}

function trustProxyOf(trusted: Settings['http']['trustProxy']): boolean | number | string[] {
  return typeof trusted === 'object' ? [...trusted] : trusted;
}

/** Each channel is loaded only when it is on, because loading its libraries delays the start. */
async function channelsOf(settings: Settings): Promise<DynamicModule[]> {
  const channels: DynamicModule[] = [];
  if (settings.telegram.token === '') {
    channels.push(TelegramOutboxModule.with({ isOn: false }));
  } else {
    const { TelegramModule } = await import('../channels/telegram');
    channels.push(TelegramModule.on(settings));
  }
  return channels;
}

/** What is no channel and is loaded only when it is on, for the same reason. */
async function optionalModules(settings: Settings): Promise<DynamicModule[]> {
  if (settings.notion.token === '') return [];
  const { NotionSyncModule } = await import('../notion-sync');
  return [{ module: NotionSyncModule }];
}
