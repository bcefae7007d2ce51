import js from '@eslint/js';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';
import { noTryInCommit } from './scripts/eslint/no-try-in-commit.mjs';

const DATABASE_PACKAGES = ['typeorm', 'pg'];

/** Time and timers belong to the clock; everything else takes them as arguments. */
const CLOCK_ONLY = [
  { object: 'Date', property: 'now', message: 'Ask a Clock.' },
  { object: 'performance', property: 'now', message: 'Ask a Clock.' },
];

export default tseslint.config(
  { ignores: ['dist/**', 'node_modules/**', '.data/**', '.tmp/**', 'coverage/**'] },
  js.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
      '@typescript-eslint/no-extraneous-class': [
        'error',
        { allowWithDecorator: true, allowStaticOnly: false },
      ],
      // Nest's option types are classes; every object literal for them would need a cast.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      'max-lines': ['error', { max: 300 }],
      'max-lines-per-function': ['error', { max: 70 }],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    plugins: { colloquy: { rules: { 'no-try-in-commit': noTryInCommit } } },
    rules: {
      'colloquy/no-try-in-commit': 'error',
      'no-restricted-properties': ['error', ...CLOCK_ONLY],
      'no-restricted-globals': [
        'error',
        { name: 'setTimeout', message: 'Use Clock.sleep.' },
        { name: 'setInterval', message: 'Use Clock.sleep in a loop that can be stopped.' },
      ],
      'no-restricted-imports': ['error', { paths: DATABASE_PACKAGES }],
      'no-restricted-syntax': [
        'error',
        {
          selector: "NewExpression[callee.name='Date'][arguments.length=0]",
          message: 'Ask a Clock.',
        },
        {
          selector: "CallExpression[callee.object.name='process'][callee.property.name='exit']",
          message: 'Only the shutdown path ends the process.',
        },
      ],
      'no-console': 'error',
    },
  },
  {
    files: ['src/common/uow/**', 'src/persistence/**', 'src/app.module.ts'],
    rules: { 'no-restricted-imports': 'off' },
  },
  {
    files: ['src/common/clock/system-clock.ts'],
    rules: {
      'no-restricted-properties': 'off',
      'no-restricted-globals': 'off',
      'no-restricted-syntax': 'off',
    },
  },
  {
    // Programs of their own: no application, no clock to inject.
    files: ['src/persistence/embedded/**', 'src/cli/**', 'src/main.ts'],
    rules: {
      'no-restricted-properties': 'off',
      'no-restricted-globals': 'off',
      'no-restricted-syntax': 'off',
      'no-console': 'off',
    },
  },
  {
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: { 'max-lines-per-function': 'off' },
  },
  {
    files: ['web/**/*.tsx', 'web/**/*.ts'],
    plugins: { 'react-hooks': reactHooks },
    rules: {
      ...reactHooks.configs.recommended.rules,
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
    },
  },
  {
    files: ['**/*.mjs', '**/*.cjs', '**/*.js'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        fetch: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        Buffer: 'readonly',
        module: 'writable',
        require: 'readonly',
        __dirname: 'readonly',
        __filename: 'readonly',
        AbortController: 'readonly',
        AbortSignal: 'readonly',
        performance: 'readonly',
        TextDecoder: 'readonly',
        structuredClone: 'readonly',
        document: 'readonly',
        window: 'readonly',
        location: 'readonly',
        localStorage: 'readonly',
        EventSource: 'readonly',
        navigator: 'readonly',
      },
    },
    rules: { 'max-lines': ['error', { max: 300 }] },
  },
);
