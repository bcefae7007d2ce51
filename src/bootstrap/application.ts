import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { ScheduleModule } from '@nestjs/schedule';
import type { DynamicModule, LoggerService, NestApplicationOptions } from '@nestjs/common';
import type { ServerOptions } from 'node:http';
import path from 'node:path';
import { AdminModule } from '../admin';
import { AppModule } from '../app.module';
import { routedUrl } from '../channels/web';
import type { Clock } from '../common/clock';
import type { Settings } from '../common/config';
import {
  respondToFrameworkError,
  respondToProtocolError,
  cutSlowReaders,
  limitRawBodies,
  requestIdOf,
  traceRequests,
} from '../common/http';
import { RunMode } from '../common/run-mode';
import { HealthModule } from '../health';
import { type Connections, openConnections } from '../persistence';
import { describeApi } from './api-document';
import { furtherModules } from './further-modules';

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
  const { settings, clock, databaseUrl, signalsUrl } = options;
  const pool = { url: databaseUrl, poolSize: settings.database.poolSize };
  const connections = await openConnections(pool, clock, signalsUrl);
  try {
    return await compose(options, connections);
  } catch (error) {
    await connections.release();
    throw error;
  }
}

/** Rooms register their own steps, at the start and in a drain, in `onModuleInit`. */
async function compose(
  options: ApplicationOptions,
  connections: Connections,
): Promise<NestFastifyApplication> {
  const { settings, clock, logger } = options;
  // The framework's own body parser would override the limit of a single route.
  const nestOptions: NestApplicationOptions = { logger, bodyParser: false, abortOnError: false };
  const app = await NestFactory.create<NestFastifyApplication>(
    await serverModule(options, connections),
    httpAdapter(settings, clock),
    nestOptions,
  );
  await app.init();
  describeApi(app);
  return app;
}

/** The whole server, as one module. */
export async function serverModule(
  options: Pick<ApplicationOptions, 'settings' | 'clock' | 'pageDirectory' | 'channels'>,
  connections: Connections,
): Promise<DynamicModule> {
  const { settings, clock, pageDirectory = PAGE_DIRECTORY } = options;
  const further = [
    ScheduleModule.forRoot(),
    HealthModule,
    ...(await furtherModules(settings, { pageDirectory })),
    ...(options.channels ?? []),
    AdminModule,
  ];
  return AppModule.on({ settings, clock, mode: RunMode.server, connections, further });
}

function httpAdapter({ http }: Settings, clock: Clock): FastifyAdapter {
  const adapter = new FastifyAdapter({
    bodyLimit: BODY_LIMIT,
    genReqId: requestIdOf,
    requestTimeout: ARRIVAL.longestMs,
    http: arrivalTimeouts(ARRIVAL.longestMs),
    forceCloseConnections: true,
    trustProxy: trustProxyOf(http.trustProxy),
    frameworkErrors: respondToFrameworkError,
    rewriteUrl: routedUrl,
    clientErrorHandler: respondToProtocolError,
  });
  const server = adapter.getInstance();
  traceRequests(server);
  limitRawBodies(server);
  cutSlowReaders(server, { graceMs: RESPONSE_GRACE_MS, clock });
  return adapter;
}

/** A file of 20 MB takes ten minutes over a connection of 35 KB a second; slower ones are cut off. */
export const ARRIVAL = { longestMs: 600_000 };
/** For a client to take a response, besides the second for each 16 KB of it. */
const RESPONSE_GRACE_MS = 30_000;

/** Node does not check bodies while its limit for headers is above its limit for whole requests. */
function arrivalTimeouts(requestTimeout: number): ServerOptions {
  const connectionsCheckingInterval = Math.min(LONGEST_CHECK_MS, Math.ceil(requestTimeout / 4));
  const headersTimeout = Math.min(LONGEST_HEADERS_MS, requestTimeout);
  return { requestTimeout, headersTimeout, connectionsCheckingInterval };
}

function trustProxyOf(trusted: Settings['http']['trustProxy']): boolean | number | string[] {
  return typeof trusted === 'object' ? [...trusted] : trusted;
}
