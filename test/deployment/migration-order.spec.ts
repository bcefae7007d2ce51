import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';

/** The Job that migrates comes after what it needs and before the pods of the release. */

const PROJECT = path.resolve(__dirname, '../..');
const BASE = path.join(PROJECT, 'deploy/kubernetes/base');

interface Manifest {
  readonly kind: string;
  readonly metadata: {
    readonly labels?: Record<string, string>;
    readonly annotations?: Record<string, string>;
  };
}

/** The ConfigMap is generated from kustomization.yaml, without labels or annotations of its own. */
const manifests = readdirSync(BASE)
  .filter((name) => name !== 'kustomization.yaml')
  .map((name) => parse(readFileSync(path.join(BASE, name), 'utf8')) as Manifest);

function of(kind: string): Manifest {
  const found = manifests.find((manifest) => manifest.kind === kind);
  if (found === undefined) throw new Error(`there is no ${kind}`);
  return found;
}

test('Argo CD runs the Job between the ServiceAccount and the Deployment', () => {
  const waves = Object.fromEntries(
    manifests.map(({ kind, metadata: { annotations } }) => [
      kind,
      Number(annotations?.['argocd.argoproj.io/sync-wave'] ?? 0),
    ]),
  );

  expect(of('Job').metadata.annotations).toMatchObject({
    'argocd.argoproj.io/hook': 'Sync',
    'argocd.argoproj.io/hook-delete-policy': 'BeforeHookCreation',
  });
  expect(waves).toMatchObject({ ServiceAccount: 0, NetworkPolicy: 0, Job: 1, Deployment: 2 });
  // Without its Deployment an autoscaler is degraded, and Argo CD would never begin the next wave.
  expect(waves['HorizontalPodAutoscaler']).toBe(waves['Deployment']);
});

test('the selector of docs/deploy.md leaves out the Deployment, and nothing that the Job needs', () => {
  const text = readFileSync(path.join(PROJECT, 'docs/deploy.md'), 'utf8');
  const [, label = '', value = ''] = /apply -k \S+ -l '(\S+)!=(\S+)'/.exec(text) ?? [];
  const applied = manifests
    .filter(({ metadata }) => metadata.labels?.[label] !== value)
    .map(({ kind }) => kind);

  expect(applied).toEqual(expect.arrayContaining(['ServiceAccount', 'NetworkPolicy', 'Job']));
  expect(applied).not.toContain('Deployment');
});
