/**
 * A GGUF file of a model with two heads, one layer and random weights, whose vocabulary is the 256
 * bytes. It writes nonsense, so that only a grammar gives its output a form. The layout is that of GGUF
 * version 3: a header, keys with values, the tensors' descriptions, the tensors.
 */
const EMBEDDING = 32;
const HEADS = 2;
const CONTEXT = 8192;
const ALIGNMENT = 32;
const TOKENS = [
  '<unk>',
  '<s>',
  '</s>',
  ...Array.from({ length: 256 }, (_, n) => `<0x${n.toString(16).toUpperCase().padStart(2, '0')}>`),
  '▁',
];
/** Unknown, control, control, bytes, a normal one. */
const TOKEN_TYPES = [2, 3, 3, ...Array<number>(256).fill(6), 1];

const TENSORS: readonly (readonly [string, readonly number[]])[] = [
  ['token_embd.weight', [EMBEDDING, TOKENS.length]],
  ['output_norm.weight', [EMBEDDING]],
  ['output.weight', [EMBEDDING, TOKENS.length]],
  ['blk.0.attn_norm.weight', [EMBEDDING]],
  ...['attn_q', 'attn_k', 'attn_v', 'attn_output', 'ffn_gate', 'ffn_up', 'ffn_down'].map(
    (name) => [`blk.0.${name}.weight`, [EMBEDDING, EMBEDDING]] as const,
  ),
  ['blk.0.ffn_norm.weight', [EMBEDDING]],
];

export function tinyModel(): Buffer {
  const values = [
    text('general.architecture', 'llama'),
    whole('llama.block_count', 1),
    whole('llama.context_length', CONTEXT),
    whole('llama.embedding_length', EMBEDDING),
    whole('llama.feed_forward_length', EMBEDDING),
    whole('llama.attention.head_count', HEADS),
    whole('llama.rope.dimension_count', EMBEDDING / HEADS),
    whole('llama.vocab_size', TOKENS.length),
    Buffer.concat([string('llama.attention.layer_norm_rms_epsilon'), u32(6), f32(1e-5)]),
    text('tokenizer.ggml.model', 'llama'),
    list('tokenizer.ggml.tokens', 8, TOKENS.map(string)),
    list(
      'tokenizer.ggml.scores',
      6,
      TOKENS.map(() => f32(0)),
    ),
    list('tokenizer.ggml.token_type', 5, TOKEN_TYPES.map(u32)),
    whole('tokenizer.ggml.bos_token_id', 1),
    whole('tokenizer.ggml.eos_token_id', 2),
  ];
  const described: Buffer[] = [];
  const tensors: Buffer[] = [];
  let offset = 0;
  for (const [name, sizes] of TENSORS) {
    described.push(
      Buffer.concat([string(name), u32(sizes.length), ...sizes.map(u64), u32(0), u64(offset)]),
    );
    const tensor = weights(sizes);
    tensors.push(tensor);
    offset += tensor.length;
  }
  const counts = [u32(3), u64(TENSORS.length), u64(values.length)];
  const head = Buffer.concat([Buffer.from('GGUF'), ...counts, ...values, ...described]);
  return Buffer.concat([head, Buffer.alloc(padding(head.length)), ...tensors]);
}

/** Ones for a norm, else numbers from -0.5 to 0.5 by a linear congruential generator. */
function weights(sizes: readonly number[]): Buffer {
  const count = sizes.reduce((product, size) => product * size, 1);
  const tensor = Buffer.alloc(count * 4 + padding(count * 4));
  let seed = 1;
  for (let n = 0; n < count; n += 1) {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
    tensor.writeFloatLE(sizes.length === 1 ? 1 : seed / 0x7fffffff - 0.5, n * 4);
  }
  return tensor;
}

function padding(length: number): number {
  return (ALIGNMENT - (length % ALIGNMENT)) % ALIGNMENT;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function f32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
}

function string(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([u64(bytes.length), bytes]);
}

function whole(key: string, value: number): Buffer {
  return Buffer.concat([string(key), u32(4), u32(value)]);
}

function text(key: string, value: string): Buffer {
  return Buffer.concat([string(key), u32(8), string(value)]);
}

function list(key: string, type: number, items: readonly Buffer[]): Buffer {
  return Buffer.concat([string(key), u32(9), u32(type), u64(items.length), ...items]);
}
