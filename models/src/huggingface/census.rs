//! The activations of model families, from the defaults of their configurations.
//!
//! Of each default configuration the keys that name an activation are here, with the model's type. Where the defaults name
//! none, the activation stands in the code of the model.

use super::needs;

/// A configuration, and its activations by name.
#[rustfmt::skip]
const FAMILIES: &[(&str, &str)] = &[
    (r#"{"model_type":"albert","hidden_act":"gelu_new"}"#, "gelu_apprx_tanh"),
    (r#"{"model_type":"align","text_config":{"hidden_act":"gelu"},"vision_config":{"hidden_act":"swish"}}"#, "gelu silu"),
    (r#"{"model_type":"bart","activation_function":"gelu"}"#, "gelu"),
    (r#"{"model_type":"bert","hidden_act":"gelu"}"#, "gelu"),
    (r#"{"model_type":"big_bird","hidden_act":"gelu_new"}"#, "gelu_apprx_tanh"),
    (r#"{"model_type":"bit","hidden_act":"relu"}"#, "relu"),
    (r#"{"model_type":"bloom"}"#, "gelu_apprx_tanh"),
    (r#"{"model_type":"blip","text_config":{"hidden_act":"gelu"},"vision_config":{"hidden_act":"gelu"}}"#, "gelu"),
    (r#"{"model_type":"chinese_clip","text_config":{"hidden_act":"gelu"},"vision_config":{"hidden_act":"quick_gelu"}}"#, "gelu gelu_apprx_sigmoid"),
    (r#"{"model_type":"clip","text_config":{"hidden_act":"quick_gelu"},"vision_config":{"hidden_act":"quick_gelu"}}"#, "gelu_apprx_sigmoid"),
    (r#"{"model_type":"codegen","activation_function":"gelu_new"}"#, "gelu_apprx_tanh"),
    (r#"{"model_type":"convnext","hidden_act":"gelu"}"#, "gelu"),
    (r#"{"model_type":"ctrl"}"#, "relu"),
    (r#"{"model_type":"data2vec-text","hidden_act":"gelu"}"#, "gelu"),
    (r#"{"model_type":"deberta-v2","hidden_act":"gelu","pooler_hidden_act":"gelu"}"#, "gelu"),
    (r#"{"model_type":"deepseek_v3","hidden_act":"silu"}"#, "silu"),
    (r#"{"model_type":"deit","hidden_act":"gelu","pooler_act":"tanh"}"#, "gelu tanh"),
    (r#"{"model_type":"detr","activation_function":"relu"}"#, "relu"),
    (r#"{"model_type":"dinov2","hidden_act":"gelu"}"#, "gelu"),
    (r#"{"model_type":"distilbert","activation":"gelu"}"#, "gelu"),
    (r#"{"model_type":"dpt","hidden_act":"gelu","pooler_act":"tanh"}"#, "gelu tanh"),
    (r#"{"model_type":"electra","hidden_act":"gelu","summary_activation":"gelu"}"#, "gelu"),
    (r#"{"model_type":"esm"}"#, "gelu"),
    (r#"{"model_type":"falcon","activation":"gelu"}"#, "gelu"),
    (r#"{"model_type":"flaubert","gelu_activation":true}"#, "gelu"),
    (r#"{"model_type":"funnel","hidden_act":"gelu_new"}"#, "gelu_apprx_tanh"),
    (r#"{"model_type":"gemma","hidden_act":"gelu_pytorch_tanh"}"#, "gelu_apprx_tanh"),
    (r#"{"model_type":"gemma2","hidden_activation":"gelu_pytorch_tanh"}"#, "gelu_apprx_tanh"),
    (r#"{"model_type":"gemma3_text","hidden_activation":"gelu_pytorch_tanh"}"#, "gelu_apprx_tanh"),
    (r#"{"model_type":"gpt2","activation_function":"gelu_new"}"#, "gelu_apprx_tanh"),
    (r#"{"model_type":"gpt_bigcode","activation_function":"gelu_pytorch_tanh"}"#, "gelu_apprx_tanh"),
    (r#"{"model_type":"gpt_neo","activation_function":"gelu_new"}"#, "gelu_apprx_tanh"),
    (r#"{"model_type":"gpt_neox","hidden_act":"gelu"}"#, "gelu"),
    (r#"{"model_type":"gpt_oss","hidden_act":"silu"}"#, "silu"),
    (r#"{"model_type":"gptj","activation_function":"gelu_new"}"#, "gelu_apprx_tanh"),
    (r#"{"model_type":"granite","hidden_act":"silu"}"#, "silu"),
    (r#"{"model_type":"hubert","feat_extract_activation":"gelu","hidden_act":"gelu"}"#, "gelu"),
    (r#"{"model_type":"ibert","hidden_act":"gelu"}"#, "gelu"),
    (r#"{"model_type":"layoutlm","hidden_act":"gelu"}"#, "gelu"),
    (r#"{"model_type":"levit"}"#, "hard_swish"),
    (r#"{"model_type":"llama","hidden_act":"silu"}"#, "silu"),
    (r#"{"model_type":"llama4_text","hidden_act":"silu"}"#, "silu"),
    (r#"{"model_type":"longformer","hidden_act":"gelu"}"#, "gelu"),
    (r#"{"model_type":"longt5","dense_act_fn":"relu","feed_forward_proj":"relu"}"#, "relu"),
    (r#"{"model_type":"m2m_100","activation_function":"relu"}"#, "relu"),
    (r#"{"model_type":"mamba","hidden_act":"silu"}"#, "silu"),
    (r#"{"model_type":"mamba2","hidden_act":"silu"}"#, "silu"),
    (r#"{"model_type":"marian","activation_function":"gelu"}"#, "gelu"),
    (r#"{"model_type":"mbart","activation_function":"gelu"}"#, "gelu"),
    (r#"{"model_type":"mistral","hidden_act":"silu"}"#, "silu"),
    (r#"{"model_type":"mixtral","hidden_act":"silu"}"#, "silu"),
    (r#"{"model_type":"mobilebert","hidden_act":"relu"}"#, "relu"),
    (r#"{"model_type":"mobilenet_v1","hidden_act":"relu6"}"#, "relu6"),
    (r#"{"model_type":"mobilenet_v2","hidden_act":"relu6"}"#, "relu6"),
    (r#"{"model_type":"mobilevit","hidden_act":"silu"}"#, "silu"),
    (r#"{"model_type":"modernbert","classifier_activation":"gelu","hidden_activation":"gelu"}"#, "gelu"),
    (r#"{"model_type":"mpnet","hidden_act":"gelu"}"#, "gelu"),
    (r#"{"model_type":"mpt"}"#, "gelu"),
    (r#"{"model_type":"mt5","dense_act_fn":"gelu_new","feed_forward_proj":"gated-gelu"}"#, "gelu_apprx_tanh"),
    (r#"{"model_type":"nemotron","hidden_act":"relu2"}"#, "squared_relu"),
    (r#"{"model_type":"olmo2","hidden_act":"silu"}"#, "silu"),
    (r#"{"model_type":"openai-gpt","afn":"gelu"}"#, "gelu_apprx_tanh"),
    (r#"{"model_type":"opt","activation_function":"relu"}"#, "relu"),
    (r#"{"model_type":"pegasus","activation_function":"gelu"}"#, "gelu"),
    (r#"{"model_type":"persimmon","hidden_act":"relu2"}"#, "squared_relu"),
    (r#"{"model_type":"phi","hidden_act":"gelu_new"}"#, "gelu_apprx_tanh"),
    (r#"{"model_type":"phi3","hidden_act":"silu"}"#, "silu"),
    (r#"{"model_type":"qwen2","hidden_act":"silu"}"#, "silu"),
    (r#"{"model_type":"qwen3","hidden_act":"silu"}"#, "silu"),
    (r#"{"model_type":"qwen3_moe","hidden_act":"silu"}"#, "silu"),
    (r#"{"model_type":"rembert","hidden_act":"gelu"}"#, "gelu"),
    (r#"{"model_type":"resnet","hidden_act":"relu"}"#, "relu"),
    (r#"{"model_type":"roberta","hidden_act":"gelu"}"#, "gelu"),
    (r#"{"model_type":"roformer","hidden_act":"gelu"}"#, "gelu"),
    (r#"{"model_type":"rwkv"}"#, "exp sigmoid squared_relu"),
    (r#"{"model_type":"sam","mask_decoder_config":{"hidden_act":"relu"},"prompt_encoder_config":{"hidden_act":"gelu"},"vision_config":{"hidden_act":"gelu"}}"#, "gelu relu"),
    (r#"{"model_type":"segformer","hidden_act":"gelu"}"#, "gelu"),
    (r#"{"model_type":"siglip_vision_model","hidden_act":"gelu_pytorch_tanh"}"#, "gelu_apprx_tanh"),
    (r#"{"model_type":"squeezebert","hidden_act":"gelu"}"#, "gelu"),
    (r#"{"model_type":"stablelm","hidden_act":"silu"}"#, "silu"),
    (r#"{"model_type":"starcoder2","hidden_act":"gelu_pytorch_tanh"}"#, "gelu_apprx_tanh"),
    (r#"{"model_type":"swin","hidden_act":"gelu"}"#, "gelu"),
    (r#"{"model_type":"switch_transformers","dense_act_fn":"relu"}"#, "relu"),
    (r#"{"model_type":"t5","dense_act_fn":"relu","feed_forward_proj":"relu"}"#, "relu"),
    (r#"{"model_type":"umt5","dense_act_fn":"gelu_new","feed_forward_proj":"gated-gelu"}"#, "gelu_apprx_tanh"),
    (r#"{"model_type":"vit","hidden_act":"gelu","pooler_act":"tanh"}"#, "gelu tanh"),
    (r#"{"model_type":"vit_mae","hidden_act":"gelu"}"#, "gelu"),
    (r#"{"model_type":"wav2vec2","feat_extract_activation":"gelu","hidden_act":"gelu"}"#, "gelu"),
    (r#"{"model_type":"whisper","activation_function":"gelu"}"#, "gelu"),
    (r#"{"model_type":"xglm","activation_function":"gelu"}"#, "gelu"),
    (r#"{"model_type":"xlm","gelu_activation":true}"#, "gelu"),
    (r#"{"model_type":"xlm-roberta","hidden_act":"gelu"}"#, "gelu"),
    (r#"{"model_type":"xlnet","ff_activation":"gelu","summary_activation":"tanh"}"#, "gelu tanh"),
    (r#"{"model_type":"yolos","hidden_act":"gelu"}"#, "gelu"),
    (r#"{"model_type":"cohere","hidden_act":"silu"}"#, "silu"),
    (r#"{"model_type":"internlm3","hidden_act":"silu"}"#, "silu"),
    (r#"{"model_type":"jamba","hidden_act":"silu"}"#, "silu"),
    (r#"{"model_type":"efficientnet","hidden_act":"swish"}"#, "silu"),
    (r#"{"model_type":"regnet","hidden_act":"relu"}"#, "relu"),
    (r#"{"model_type":"glm4","hidden_act":"silu"}"#, "silu"),
    (r#"{"model_type":"lfm2"}"#, "silu"),
];

#[test]
fn the_activations_of_model_families_are_found() {
    assert!(FAMILIES.len() >= 40);
    for (configuration, expected) in FAMILIES {
        let found = needs("config.json", configuration.as_bytes()).unwrap();
        let functions: Vec<&str> = found
            .needs
            .iter()
            .map(|need| need.function.as_str())
            .collect();
        assert_eq!(functions.join(" "), *expected, "{configuration}");
        assert_eq!(found.unknown, [], "{configuration}");
    }
}

#[test]
fn an_activation_with_learned_parameters_has_no_table() {
    let found = needs(
        "config.json",
        br#"{"model_type":"apertus","hidden_act":"xielu"}"#,
    )
    .unwrap();
    assert_eq!(
        (found.needs.len(), found.unknown[0].name.as_str()),
        (0, "xielu")
    );
}
