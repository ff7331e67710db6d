"""What the parts of a simulated user's answer are called in other languages than the prompt's. Data only.

A model that plays a person of another language sometimes translates the labels of its answer. Words are in lower case,
separated by blanks. A label is recognised by any of its words, or by its end (where a language
writes without blanks, or the name has two words: `_` is a blank).
"""

from __future__ import annotations

THOUGHT = """
gedanke gedanken gedankengang überlegung überlegungen monolog pensée pensées pensee pensees réflexion réflexions
raisonnement pensamiento pensamientos reflexión razonamiento monólogo monologo pensamento pensamentos raciocínio
reflexão pensiero pensieri ragionamento riflessione pensament pensaments gedachte gedachten gedachtegang overweging
tanke tanker tankar ajatus ajatukset mõte mõtted myśl myśli rozumowanie myšlenka myšlenky myšlienka myšlienky úvaha
gondolat gondolatok gondolatmenet gând gânduri misao misli razmišljanje misel mintis mintys domas mendim
мысль мысли размышление размышления рассуждение рассуждения монолог думка думки міркування мисъл мисли размисъл мисао
σκέψη σκέψεις συλλογισμός düşünce düşünceler düşüncesi pikiran pemikiran mawazo wazo kaisipan iniisip
فكرة الفكرة أفكار الأفكار تفكير التفكير خاطرة فکر افکار اندیشه سوچ מחשבה מחשבות הרהור הרהורים
विचार सोच চিন্তা ভাবনা எண்ணம் சிந்தனை ఆలోచన ఆలోచనలు ਵਿਚਾਰ વિચાર 생각 속마음 독백 ფიქრი միտք ሀሳብ
"""
THOUGHT_ENDS = (
    "思考 想法 内心 內心 心理活动 心理活動 心声 心聲 独白 獨白 心の声 考え 本音 心の中 ความคิด ความในใจ គំនិត suy_nghĩ"
)
MESSAGE = """
nachricht botschaft mensaje mensagem messaggio missatge bericht boodschap besked beskjed meddelande melding viesti teade
sõnum wiadomość zpráva správa üzenet mesaj mesajul mesajı poruka sporočilo žinutė ziņa mesazh сообщение послание
повідомлення съобщение порука μήνυμα pesan mesej ujumbe mensahe رسالة الرسالة پیام پیغام הודעה ההודעה संदेश सन्देश
বার্তা செய்தி సందేశం ਸੁਨੇਹਾ સંદેશ 메시지 შეტყობინება հաղորդագրություն መልእክት
"""
MESSAGE_ENDS = "消息 信息 訊息 讯息 メッセージ ข้อความ សារ tin_nhắn"
ASSISTANT = """
assistant ai chatbot bot chatgpt gpt llm assistent assistentin assistenten ki asistente asistenta assistente
assistenta assistante ia asystent asystentka asistent asistentul asistentka avustaja tekoäly assistendi
asszisztens ассистент ассистентка помощник ии асистент асистентка помічник ші βοηθός asistan yardımcı asisten
msaidizi المساعد مساعد دستیار העוזר עוזר सहायक সহকারী உதவியாளர் సహాయకుడు 어시스턴트 도우미 ასისტენტი օգնական
"""
ASSISTANT_ENDS = "助手 助理 人工智能 アシスタント ผู้ช่วย ជំនួយការ trợ_lý"
BESIDE_ASSISTANT = "the model language virtual digital virtuel virtuale l' l el la il o a der die das"
"""What may stand beside such a word in the name of a speaker: "AI assistant", "the assistant"."""
FIRST_PERSON = """
me i ich ik yo moi je io eu jo jag jeg minä mina ja já én я εγώ ben saya aku mimi أنا من אני मैं আমি நான் నేను 나 저 我 私
僕 俺 ฉัน ผม tôi
"""
"""How people call themselves when they write down a dialogue."""
