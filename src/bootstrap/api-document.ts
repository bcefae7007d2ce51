import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { cleanupOpenApiDoc } from 'nestjs-zod';
import { TeamCookie } from '../access';
import { Settings } from '../common/config';
import { ADMIN_SECURITY, SESSION_SECURITY, TEAM_SECURITY, problemTable } from '../common/http';
import { UnitOfWorkFactory } from '../common/uow';
import { VERSION } from '../common/version';
import { InterviewTerms, disclosureVersion } from '../interview';
import { ExampleVacancies, type Vacancy } from '../vacancies';
import { API_EXAMPLES, parameterExample, streamExample } from './api-examples';
import { eventDocument, removeEmptyBounds } from './event-document';

/** What a Host header of a browser or of curl looks like; another one is not shown. */
const HOST = /^[\w.-]+(:\d+)?$|^\[[\da-f:]+\](:\d+)?$/i;
/** Stands in for a token where there is no example vacancy. */
const NO_EXAMPLE = 'TOKEN_OF_AN_INVITATION_LINK';
/** Commands that can be read and scrolled; the bar with the logo of the viewer is left out. */
const STYLES = `
.swagger-ui .topbar { display: none; }
.swagger-ui .info { margin: 2rem 0; }
.swagger-ui .info .renderedMarkdown pre { padding: 0.75rem 1rem; border-radius: 0.5rem; background: #ececef; overflow-x: auto; }
.swagger-ui .info .renderedMarkdown pre code { padding: 0; background: none; font-size: 0.875rem; line-height: 1.5; white-space: pre; }
.swagger-ui .info .renderedMarkdown code { color: inherit; font-weight: 500; }
@media (max-width: 640px) {
  .swagger-ui .wrapper { padding: 0 0.75rem; }
  .swagger-ui .opblock .opblock-summary, .swagger-ui .opblock-tag { flex-wrap: wrap; }
  .swagger-ui .opblock .opblock-summary-method { min-width: 4rem; padding: 0.25rem; }
  .swagger-ui .opblock .opblock-summary-path { max-width: 100%; overflow-wrap: anywhere; }
  .swagger-ui .opblock .opblock-summary-description, .swagger-ui .opblock-tag small { flex-basis: 100%; padding: 0; }
  .swagger-ui .renderedMarkdown, .swagger-ui .info .title { overflow-wrap: break-word; }
  .swagger-ui .renderedMarkdown table { display: block; overflow-x: auto; }
  .swagger-ui .renderedMarkdown table code { white-space: nowrap; }
  .swagger-ui .opblock-body, .swagger-ui section.models { overflow-x: auto; }
  .swagger-ui .scheme-container .schemes { display: block; }
}
`;
const METHODS = ['get', 'put', 'post', 'delete', 'patch'] as const;

/** The OpenAPI document, without the commands that `/docs` shows above it. */
export function apiDocument(app: NestFastifyApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setTitle('Colloquy')
    .setVersion(VERSION)
    .addTag('Candidate', "A candidate's own interview. Needs the token of a session.")
    .addTag('AI SDK', 'The same interview for `useChat` and other clients of the AI SDK.')
    .addTag('Vacancies', 'What is asked. Needs the scope `vacancies:read` or `vacancies:write`.')
    .addTag(
      'Invitations',
      'Who is invited. Needs the scope `invitations:read` or `invitations:write`.',
    )
    .addTag('Interviews', 'How far each interview is. Needs the scope `interviews:read`.')
    .addTag(
      'Admin',
      'What the hiring team and its programs read and do. Needs a key with the scope.',
    )
    .addTag(
      'Scores and decisions',
      'What the model and people give the answers, and what people decide. Needs the scope `scores:read` or ' +
        '`decisions:read`; only users rate and decide.',
    )
    .addTag(
      'People',
      'Colleagues: sign-in, sessions, roles. A session of a person; to change users, the scope `users:write`.',
    )
    .addTag('Keys and audit', 'API keys, and who did what. Needs the scope `keys:write`.')
    .addBearerAuth(
      { type: 'http', description: '`sessionToken` of POST /api/v1/sessions, as a bearer' },
      SESSION_SECURITY,
    )
    .addBearerAuth(
      {
        type: 'http',
        description:
          'An API key with the scope that the operation names, or ADMIN_TOKEN of the settings, ' +
          'which has every scope; as a bearer',
      },
      ADMIN_SECURITY,
    )
    .addCookieAuth(
      app.get(TeamCookie, { strict: false }).name,
      {
        type: 'apiKey',
        in: 'cookie',
        description:
          'The cookie of a colleague who has signed in by POST /api/v1/team/session and whose role has the scope that ' +
          'the operation names. A request that changes something has to come from a page of the same host',
      },
      TEAM_SECURITY,
    )
    .setOpenAPIVersion('3.1.0')
    .build();
  const document = SwaggerModule.createDocument(app, config);
  return withExamples(cleanupOpenApiDoc(document, { version: '3.1' }));
}

/**
 * Serves the description of the API at /docs, and as documents at /docs/openapi.json and, for the
 * stream of events, /docs/asyncapi.json.
 */
export function describeApi(app: NestFastifyApplication): void {
  fitToPhones(app, '/docs');
  app
    .getHttpAdapter()
    .getInstance()
    .get('/docs/asyncapi.json', (request: FastifyRequest) =>
      eventDocument(baseUrlOf(app, request)),
    );
  // The document is made at the first request, so that the start does not wait for it.
  SwaggerModule.setup('docs', app, () => apiDocument(app), {
    jsonDocumentUrl: 'docs/openapi.json',
    customSiteTitle: 'Colloquy API',
    customCss: STYLES,
    swaggerOptions: { persistAuthorization: true, docExpansion: 'list' },
    patchDocumentOnRequest: async (request, _response, described) => {
      const baseUrl = baseUrlOf(app, request as FastifyRequest);
      const vacancy = await exampleVacancy(app);
      const description = firstCalls(
        baseUrl,
        vacancy?.openToken ?? NO_EXAMPLE,
        disclosureVersion(app.get(InterviewTerms, { strict: false }), vacancy?.notices),
      );
      return { ...described, info: { ...described.info, description } };
    },
  });
}

/** The page's template has no viewport, and without one a phone shows it in the size of a desktop. */
function fitToPhones(app: NestFastifyApplication, url: string): void {
  const viewport = '<meta name="viewport" content="width=device-width, initial-scale=1">';
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRoute', (route) => {
      if (route.url !== url) return;
      route.onSend = (_request, _reply, payload) =>
        Promise.resolve(
          typeof payload === 'string' ? payload.replace('<head>', `<head>${viewport}`) : payload,
        );
    });
}

/** The beginning of the document: an interview in five calls, ready to be pasted into a shell. */
function firstCalls(baseUrl: string, invitation: string, disclosure: string): string {
  return `The API of candidates, the API for clients of the AI SDK, and the admin API for the hiring team and its programs.

## An interview in five calls

Paste them into a shell, in this order. \`INVITATION\` is the last part of a candidate's link.

**1. Open a session.** Its token is the bearer of all other calls.

\`\`\`sh
BASE=${baseUrl}
INVITATION=${invitation}
SESSION=$(curl -sS $BASE/api/v1/sessions -H 'content-type: application/json' \\
  -d "{\\"invite\\":\\"$INVITATION\\"}" | sed -E 's/.*"sessionToken":"([^"]+)".*/\\1/')
\`\`\`

**2. Agree to the disclosure**, which \`GET /api/v1/conversation\` returns: show it to the candidate first.

\`\`\`sh
curl -sS $BASE/api/v1/conversation/consent -H "authorization: Bearer $SESSION" \\
  -H 'content-type: application/json' -d '{"version":"${disclosure}","accepted":true}'
\`\`\`

**3. Say who the candidate is.** The interview starts, and the first question is in \`messages\`.

\`\`\`sh
curl -sS $BASE/api/v1/conversation/profile -H "authorization: Bearer $SESSION" \\
  -H 'content-type: application/json' -d '{"name":"Ada Lovelace","contact":"ada@example.org"}'
\`\`\`

**4. Send a message.** \`id\` is your own; a repeated call with the same id stores nothing twice.

\`\`\`sh
curl -sS $BASE/api/v1/conversation/messages -H "authorization: Bearer $SESSION" \\
  -H 'content-type: application/json' -d '{"id":"message-1","text":"I built a ledger for payments."}'
\`\`\`

**5. Read the reply while it is written.** It begins when the candidate has been silent for a few seconds.
The stream stays open for whatever comes next; Ctrl-C ends it.

\`\`\`sh
curl -sSN $BASE/api/v1/conversation/events -H "authorization: Bearer $SESSION"
\`\`\`

## More

- Three complete clients for the web, how a stream is resumed and what to do after a cut: [the handbook](/handbook/web-client.html).
- Every event of the stream with its schema: [AsyncAPI](/docs/asyncapi.json). The same of the API: [OpenAPI](/docs/openapi.json).

## Errors by code

Every refusal is a problem document (RFC 9457) with a stable \`code\`.

${problemTable()}
`;
}

/** Where the caller reaches this server. */
function baseUrlOf(app: NestFastifyApplication, request: FastifyRequest): string {
  const { http } = app.get(Settings);
  if (http.publicUrl !== '') return http.publicUrl;
  const host = HOST.test(request.host) ? request.host : `localhost:${String(http.port)}`;
  return `${request.protocol}://${host}`;
}

/** Of an example vacancy, while Colloquy is tried; the front page offers it as well. */
async function exampleVacancy(app: NestFastifyApplication): Promise<Vacancy | undefined> {
  if (app.get(Settings).http.publicUrl !== '') return undefined;
  const examples = app.get(ExampleVacancies, { strict: false });
  const [first] = await app
    .get(UnitOfWorkFactory)
    .run('docs', (uow) => uow.commit('docs.examples', (tx) => examples.list(tx)));
  return first;
}

/** Adds an example to each body, stream and parameter, and removes bounds that say nothing. */
function withExamples(document: OpenAPIObject): OpenAPIObject {
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
    const example = API_EXAMPLES[name.replace(/_Output$/, '')];
    if (example !== undefined) Object.assign(schema, { examples: [example] });
    removeEmptyBounds(schema);
  }
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      for (const parameter of operations[method]?.parameters ?? []) {
        if (!('name' in parameter)) continue;
        const example = parameterExample(path, parameter.name);
        if (example !== undefined) Object.assign(parameter, { example });
      }
      for (const response of Object.values(operations[method]?.responses ?? {})) {
        const stream =
          response !== undefined && 'content' in response
            ? response.content['text/event-stream']
            : undefined;
        if (stream !== undefined) stream.example = streamExample(path);
      }
    }
  }
  return document;
}
