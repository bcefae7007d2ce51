import { Global, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Clock, SystemClock } from '../../src/common/clock';
import { Settings } from '../../src/common/config';
import { Metrics } from '../../src/common/metrics';
import { RunMode } from '../../src/common/run-mode';
import { UnitOfWorkMetrics, UnitOfWorkFactory } from '../../src/common/uow';
import { Completions, Embeddings, LlmModule, ModelClient } from '../../src/llm';
import { ClientOnDemand, NoModelClient } from '../../src/llm/model-client';
import { OpenAiClient } from '../../src/llm/openai-client';
import { openTestDatabase } from '../support/app-database';
import { FakeClock } from '../../tools/support/fake-clock';
import { REQUEST, clientOf } from '../support/model-calls';
import { ModelServer } from '../../tools/fake-model/model-server';
import { settingsForTests } from '../support/settings';

async function configured(
  env: Record<string, string>,
  mode = RunMode.server,
): Promise<{ model: ModelClient; embeddings: Embeddings; completions: Completions }> {
  @Global()
  @Module({
    providers: [
      { provide: Settings, useValue: settingsForTests(env) },
      { provide: Clock, useValue: new SystemClock() },
      { provide: UnitOfWorkFactory, useValue: {} },
      { provide: RunMode, useValue: mode },
      Metrics,
    ],
    exports: [Settings, Clock, UnitOfWorkFactory, RunMode, Metrics],
  })
  class Core {}

  const module = await Test.createTestingModule({ imports: [Core, LlmModule] }).compile();
  const found = {
    model: module.get(ModelClient),
    embeddings: module.get(Embeddings),
    completions: module.get(Completions),
  };
  await module.close();
  return found;
}

test('uses the model of the settings when a key is set', async () => {
  const { model } = await configured({ OPENAI_API_KEY: 'k', OPENAI_MODEL: 'small' });
  expect(model).toBeInstanceOf(OpenAiClient);
  expect(model.model).toBe('small');
});

test('a command loads the client of the model only with its first request, and embeds nothing', async () => {
  const env = { OPENAI_API_KEY: 'k', OPENAI_MODEL: 'small', OPENAI_EMBEDDING_MODEL: 'e' };
  const { model, embeddings, completions } = await configured(env, RunMode.command);

  expect(model).toBeInstanceOf(ClientOnDemand);
  expect([model.model, model.unsupported, completions.isOn]).toEqual(['small', [], true]);
  expect(embeddings.model).toBeNull();
});

test('throws when a model is called without a key', async () => {
  const { model } = await configured({});
  expect(model).toBeInstanceOf(NoModelClient);
  expect(() => model.stream(REQUEST, new AbortController().signal)).toThrow('none is configured');
});

test('completes with a key, and embeds only with an embedding model', async () => {
  const plain = await configured({ OPENAI_API_KEY: 'k' });
  expect(plain.completions.isOn).toBe(true);
  expect(plain.embeddings.model).toBeNull();
  const named = await configured({ OPENAI_API_KEY: 'k', OPENAI_EMBEDDING_MODEL: 'e' });
  expect(named.embeddings.model).toBe('e');
});

test('neither embeds nor completes without a key', async () => {
  const { embeddings, completions } = await configured({ OPENAI_EMBEDDING_MODEL: 'e' });
  expect(embeddings.model).toBeNull();
  expect(completions.isOn).toBe(false);
  const { signal } = new AbortController();
  await expect(embeddings.embed({ subject: 'x', texts: ['a'] }, signal)).rejects.toThrow('no emb');
});

test('refuses to call a model inside a commit, and sends no request (I6)', async () => {
  const server = await ModelServer.start();
  const database = await openTestDatabase();
  const client = clientOf(server, new FakeClock());
  const units = new UnitOfWorkFactory(
    database.dataSource,
    database.clock,
    new UnitOfWorkMetrics(new Metrics()),
  );
  const inside = units.run('test', (uow) =>
    uow.commit('test.remote', () => {
      client.stream(REQUEST, new AbortController().signal);
      return Promise.resolve();
    }),
  );
  await expect(inside).rejects.toThrow('model was called inside the commit "test.remote"');
  expect(server.requests).toHaveLength(0);
  await database.close();
  await server.close();
});
