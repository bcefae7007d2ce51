import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Deployment } from 'kubernetes-types/apps/v1';
import type { HorizontalPodAutoscaler } from 'kubernetes-types/autoscaling/v2';
import type { Job } from 'kubernetes-types/batch/v1';
import type { ConfigMap, PodSpec, PodTemplateSpec, Service } from 'kubernetes-types/core/v1';
import type { NetworkPolicy } from 'kubernetes-types/networking/v1';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1';
import ts from 'typescript';
import { parse, parseAllDocuments } from 'yaml';
import { SETTINGS, Settings } from '../../src/common/config';
import { startTestApp } from '../support/app';

/*
 * The manifests as `kubectl kustomize` renders them. The kinds of Kubernetes itself are checked against
 * the types of the package kubernetes-types: no package that runs on Node 20 brings JSON schemas which
 * refuse a misspelt field. ServiceMonitor is no kind of Kubernetes; its fields are compared by hand.
 */

const PROJECT = path.resolve(__dirname, '../..');
const FOLDER = path.join(PROJECT, 'deploy/kubernetes');
const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;
const withKubectl = hasKubectl ? describe.each : describe.skip.each;
const KUBECTL_ONLY = hasKubectl ? '' : ' (skipped: no kubectl on this machine)';

/** After SHUTDOWN_DEADLINE the process ends itself within this time (common/lifecycle/process-end.ts). */
const STUCK_S = 20;

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Record<string, string> };
}

interface ServiceMonitor extends Manifest {
  readonly spec: {
    readonly selector: { readonly matchLabels: Record<string, string> };
    readonly endpoints: readonly {
      readonly port: string;
      readonly path: string;
      readonly authorization: { readonly credentials: { readonly name: string; key: string } };
    }[];
  };
}

interface Kinds {
  readonly Deployment: Deployment;
  readonly Job: Job;
  readonly ConfigMap: ConfigMap;
  readonly Service: Service;
  readonly NetworkPolicy: NetworkPolicy;
  readonly PodDisruptionBudget: PodDisruptionBudget;
  readonly HorizontalPodAutoscaler: HorizontalPodAutoscaler;
  readonly ServiceMonitor: ServiceMonitor;
}

function read(name: string): string {
  return readFileSync(path.join(PROJECT, name), 'utf8');
}

function render(overlay: string): Manifest[] {
  const { status, stdout, stderr } = spawnSync(
    'kubectl',
    ['kustomize', path.join(FOLDER, 'overlays', overlay)],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`kubectl kustomize failed: ${stderr}`);
  return parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
}

/** What TypeScript says of the manifests as objects of their kinds. */
function typeErrors(manifests: readonly Manifest[]): string[] {
  const lines = manifests
    .filter(({ apiVersion }) => !apiVersion.startsWith('monitoring.coreos.com/'))
    .map((manifest, n) => {
      const [group = '', version] = manifest.apiVersion.split('/');
      const folder = version === undefined ? 'core/v1' : `${group.split('.')[0] ?? ''}/${version}`;
      const name = `${manifest.kind}${String(n)}`;
      return `import type { ${manifest.kind} as ${name} } from 'kubernetes-types/${folder}';
export const value${String(n)}: ${name} = ${JSON.stringify(manifest)};`;
    });
  const file = path.join(__dirname, 'rendered-manifests.ts');
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    module: ts.ModuleKind.Preserve,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  };
  const host = ts.createCompilerHost(options);
  const inMemory: ts.CompilerHost = {
    ...host,
    fileExists: (name) => name === file || host.fileExists(name),
    getSourceFile: (name, target) =>
      name === file
        ? ts.createSourceFile(name, lines.join('\n'), target)
        : host.getSourceFile(name, target),
  };
  return ts
    .getPreEmitDiagnostics(ts.createProgram([file], options, inMemory))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

function isSelected(
  selector: Record<string, string> | undefined,
  labels: Record<string, string> | undefined,
): boolean {
  const wanted = Object.entries(selector ?? {});
  return wanted.length > 0 && wanted.every(([name, value]) => labels?.[name] === value);
}

/** `25%` of the replicas, rounded up as Kubernetes does for maxSurge, or the number itself. */
function countOf(given: number | string | undefined, replicas: number): number {
  const text = String(given);
  return text.endsWith('%') ? Math.ceil((parseInt(text, 10) / 100) * replicas) : Number(text);
}

/** The settings of the pods, with a file for each secret in `folder` instead of the mounted one. */
function environmentOf(config: Record<string, string>, folder: string): Record<string, string> {
  const secrets: Record<string, string> = {
    DATABASE_URL: 'postgres://colloquy:secret@postgres:5432/colloquy',
    MANAGEMENT_TOKEN: 'm'.repeat(32),
    TELEGRAM_BOT_TOKEN: '123456:ABC-DEF',
    TELEGRAM_WEBHOOK_SECRET: 'w'.repeat(32),
  };
  return Object.fromEntries(
    Object.entries(config).map(([name, value]) => {
      if (!name.endsWith('_FILE')) return [name, value];
      const secret = path.basename(value);
      const file = path.join(folder, secret);
      writeFileSync(file, secrets[secret] ?? '');
      return [name, file];
    }),
  );
}

withKubectl(['small', 'large'])(`The overlay %s${KUBECTL_ONLY}`, (overlay) => {
  let manifests: Manifest[];
  let server: PodTemplateSpec;
  let pod: PodSpec;
  let migration: PodTemplateSpec;
  let config: Record<string, string>;

  const only = <K extends keyof Kinds>(kind: K): Kinds[K] => {
    const found = manifests.filter((manifest) => manifest.kind === kind);
    if (found.length !== 1) throw new Error(`expected one ${kind}, found ${String(found.length)}`);
    return found[0] as Kinds[K];
  };

  beforeAll(() => {
    manifests = render(overlay);
    server = only('Deployment').spec?.template ?? {};
    pod = server.spec ?? { containers: [] };
    migration = only('Job').spec?.template ?? {};
    config = only('ConfigMap').data ?? {};
  });

  const container = () => {
    const [first] = pod.containers;
    if (first === undefined) throw new Error('the deployment has no container');
    return first;
  };

  test('has fields of the right names and types only', () => {
    expect(typeErrors(manifests)).toEqual([]);
    const deployment = structuredClone(only('Deployment')) as Deployment & Manifest;
    Object.assign(deployment.spec?.template.spec ?? {}, { terminationGracePeriod: 270 });
    expect(typeErrors([deployment])[0]).toContain('"terminationGracePeriod"');
  });

  test('ends a pod no sooner than preStop, the drain and the longest model call take together', () => {
    const [command, preStopS] = container().lifecycle?.preStop?.exec?.command ?? [];
    const deadlineS = Number(config['SHUTDOWN_DEADLINE']);
    const modelS = Settings.fromEnvironment(withoutFiles(config)).llm.requestTimeoutMs / 1000;

    expect(command).toBe('sleep');
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(
      Number(preStopS) + deadlineS + modelS + STUCK_S,
    );
    const { failureThreshold = 0, periodSeconds = 0 } = container().readinessProbe ?? {};
    expect(Number(preStopS)).toBeGreaterThanOrEqual(failureThreshold * periodSeconds);
  });

  test('selects the pods of the server, never the one that migrates', () => {
    const labels = server.metadata?.labels;
    const ofMigration = migration.metadata?.labels;
    const selectors = [
      only('Deployment').spec?.selector.matchLabels,
      only('Service').spec?.selector,
      only('PodDisruptionBudget').spec?.selector?.matchLabels,
      ...(pod.topologySpreadConstraints ?? []).map(
        ({ labelSelector }) => labelSelector?.matchLabels,
      ),
    ];

    for (const selector of selectors) {
      expect([isSelected(selector, labels), isSelected(selector, ofMigration)]).toEqual([
        true,
        false,
      ]);
    }
    const { matchLabels } = only('NetworkPolicy').spec?.podSelector ?? {};
    expect(isSelected(matchLabels, labels) && isSelected(matchLabels, ofMigration)).toBe(true);
    expect(only('HorizontalPodAutoscaler').spec?.scaleTargetRef).toEqual({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      name: only('Deployment').metadata?.name,
    });
  });

  test('lets only the ingress controller and Prometheus in, and only DNS, the database and HTTPS out', () => {
    const { ingress, egress, policyTypes } = only('NetworkPolicy').spec ?? {};
    const ports = (egress ?? []).map((rule) => rule.ports?.map(({ port }) => port));

    expect(policyTypes).toEqual(['Ingress', 'Egress']);
    expect(ingress?.[0]?.ports?.map(({ port }) => port)).toEqual(['http']);
    expect(
      ingress?.[0]?.from?.map(({ namespaceSelector }) => namespaceSelector?.matchLabels),
    ).toEqual(
      ['ingress-nginx', 'monitoring'].map((name) => ({ 'kubernetes.io/metadata.name': name })),
    );
    expect(ports).toEqual([[53, 53], [5432], [443]]);
    // Not whatever listens on the port: the pods of one namespace that have the database's label.
    expect(egress?.[1]?.to).toEqual([
      {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'postgres' } },
        podSelector: { matchLabels: { 'app.kubernetes.io/name': 'postgresql' } },
      },
    ]);
    // kustomize adds labels to selectors where it is told to; the DNS pods do not have ours.
    expect(egress?.[0]?.to?.[0]?.podSelector?.matchLabels).toEqual({ 'k8s-app': 'kube-dns' });
  });

  test('agrees on ports from the setting to the probes, the service and the scrapes', () => {
    const [port] = container().ports ?? [];
    const [servicePort] = only('Service').spec?.ports ?? [];
    const monitor = only('ServiceMonitor');
    const { startupProbe, livenessProbe, readinessProbe } = container();

    expect(port).toEqual({ name: 'http', containerPort: Number(config['PORT']) });
    expect(servicePort?.targetPort).toBe('http');
    expect(monitor.spec.endpoints[0]?.port).toBe(servicePort?.name);
    expect(isSelected(monitor.spec.selector.matchLabels, only('Service').metadata?.labels)).toBe(
      true,
    );
    for (const probe of [startupProbe, livenessProbe, readinessProbe]) {
      expect(probe?.httpGet?.port).toBe('http');
    }
    expect(read('Dockerfile')).toContain(`\nEXPOSE ${config['PORT'] ?? ''}\n`);
  });

  test.each(['server', 'migration'])(
    'gives the pod of the %s no more rights than it needs',
    (which) => {
      const { spec } = which === 'server' ? server : migration;

      expect(spec?.automountServiceAccountToken).toBe(false);
      // The user "node" of the image: user and group 1000.
      expect(read('Dockerfile')).toContain('\nUSER node\n');
      expect(spec?.securityContext).toEqual({
        runAsNonRoot: true,
        runAsUser: 1000,
        runAsGroup: 1000,
        fsGroup: 1000,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(spec?.containers.map(({ securityContext }) => securityContext)).toEqual([
        {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
      ]);
      expect(spec?.containers[0]?.resources?.limits).toHaveProperty('memory');
    },
  );

  test('runs the release of package.json in both pods', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    const images = [server, migration].map(({ spec }) => spec?.containers[0]?.image);

    expect(images).toEqual(Array(2).fill(`registry.example.org/colloquy:${version}`));
    expect(migration.spec?.containers[0]?.command).toEqual(['colloquy', 'migrate']);
  });

  test('takes its settings from one ConfigMap, and all of them are settings with valid values', () => {
    const known = SETTINGS.flatMap(({ variable, isSecret }) =>
      isSecret ? [`${variable}_FILE`] : [variable],
    );
    const folder = mkdtempSync(path.join(tmpdir(), 'colloquy-secrets-'));
    try {
      const { http, telegram, database } = Settings.fromEnvironment(environmentOf(config, folder));

      expect(Object.keys(config).filter((name) => !known.includes(name))).toEqual([]);
      expect(http.publicUrl).toBe('https://interviews.example.org');
      expect(telegram.mode).toBe(overlay === 'large' ? 'webhook' : 'polling');
      expect(database.url).not.toBeNull();
    } finally {
      rmSync(folder, { recursive: true });
    }
    const { name } = only('ConfigMap').metadata ?? {};
    for (const { spec } of [server, migration]) {
      expect(spec?.containers[0]?.envFrom).toEqual([{ configMapRef: { name } }]);
    }
  });

  test('mounts every secret as a file, with the keys of secrets.env.example', () => {
    const secrets = SETTINGS.filter(({ isSecret }) => isSecret).map(({ variable }) => variable);
    const given = read('deploy/kubernetes/secrets.env.example').match(/^[A-Z_]+(?==)/gm) ?? [];
    const [mount] = container().volumeMounts ?? [];
    const files = secrets.map((name) => config[`${name}_FILE`]);

    expect([...given].sort()).toEqual([...secrets].sort());
    expect(files).toEqual(secrets.map((name) => `${mount?.mountPath ?? ''}/${name}`));
    const { credentials } = only('ServiceMonitor').spec.endpoints[0]?.authorization ?? {
      credentials: { name: '', key: '' },
    };
    for (const { spec } of [server, migration]) {
      expect(spec?.volumes?.[0]?.secret?.secretName).toBe(credentials.name);
    }
    expect(secrets).toContain(credentials.key);
  });

  test('counts the connections of the most replicas and of those that an update adds', () => {
    const { minReplicas = 0, maxReplicas = 0 } = only('HorizontalPodAutoscaler').spec ?? {};
    const { maxSurge, maxUnavailable } = only('Deployment').spec?.strategy?.rollingUpdate ?? {};

    expect(Number(config['DATABASE_REPLICAS'])).toBe(maxReplicas + countOf(maxSurge, maxReplicas));
    expect(maxUnavailable).toBe(0);
    expect(minReplicas).toBeGreaterThanOrEqual(2);
  });

  test('scales by a metric that Colloquy exports and the adapter passes on', () => {
    const [metric] = only('HorizontalPodAutoscaler').spec?.metrics ?? [];
    const name = metric?.external?.metric.name ?? '';
    const values = parse(read('deploy/kubernetes/metrics-adapter/values.yaml')) as {
      rules: { external: { seriesQuery: string; name: { as: string } }[] };
    };
    const [rule] = values.rules.external;

    expect(read('docs/metrics.md')).toContain(`| \`${name}\` | gauge |`);
    expect([rule?.name.as, rule?.seriesQuery]).toEqual([name, `${name}{namespace!=""}`]);
    expect(Number(metric?.external?.target.averageValue)).toBeLessThan(
      Settings.fromEnvironment({}).jobs.flushConcurrency,
    );
  });

  test('probes and scrapes addresses that the application responds to', async () => {
    const { startupProbe, livenessProbe, readinessProbe } = container();
    const probed = [startupProbe, livenessProbe, readinessProbe].map(
      (probe) => probe?.httpGet?.path ?? '',
    );
    const scraped = only('ServiceMonitor').spec.endpoints.map((one) => one.path);
    const app = await startTestApp();
    try {
      const statuses = [];
      for (const place of [...probed, ...scraped]) {
        const response = await fetch(`${app.url}${place}`);
        await response.arrayBuffer();
        statuses.push([place, response.status]);
      }
      expect(statuses).toEqual([
        ['/health/startup', 200],
        ['/health/live', 200],
        ['/health/ready', 200],
        ['/metrics', 200],
      ]);
    } finally {
      await app.close();
    }
  });
});

/** Settings that need no file. */
function withoutFiles(config: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(config).filter(([name]) => !name.endsWith('_FILE')));
}
