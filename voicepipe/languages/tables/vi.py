"""Vietnamese. Every syllable stands alone; polite particles end a sentence."""

from voicepipe.languages.language import Language, Prompts, Reading, Verdict, words
from voicepipe.languages.plurals import only

LANGUAGE = Language(
    code="vi",
    name="Vietnamese",
    voice="vi",
    otherwise=Verdict.COMPLETE,
    goes_on=words(
        """và hoặc hay nhưng mà vì bởi nên nếu khi lúc rằng là thì để cho với của ở trong trên
        dưới ngoài từ đến tới về qua giữa sau trước bằng theo như cùng tại vào ra khỏi bên
        cạnh gần tuy dù vẫn do một các những mọi mỗi từng vài mấy cái con chiếc cuốn ly tôi
        mình chúng_tôi chúng_ta anh chị em ông bà cô nó họ tôi_tên tên_tôi_là tôi_là muốn cần
        phải có_thể có không_thể đang sẽ đã vừa mới rất hơi khá hơn nhất càng cũng chỉ đặt mua
        tìm gọi bật tắt_cái hẹn nhắc_tôi giúp_tôi cho_tôi hỏi_về làm_ơn xin vui_lòng được_gặp
        ngày tháng thứ lúc mấy khoảng nhà_số số ờ ừm à_thì kiểu_như tức_là ví_dụ ví_dụ_như
        nghĩa_là không_phải_là bị người bởi_vì tại_vì cho_nên mặc_dù trong_khi sau_khi
        trước_khi ngay_khi để_mà liên_quan_đến so_với thay_vì ngoài_ra đối_với tôi_sống_ở
        đặt_một bao_nhiêu_tiền_một vẫn_chưa còn giá mà_là một_cái tiếp tự lẫn song hầu_hết
        phần_lớn toàn_bộ vấn_đề_là"""
    ),
    ends=words(
        """ạ nhé nha đi thôi không chưa à ư nhỉ vậy thế đó đây kia này được rồi xong hết cả
        nữa luôn có_không có_ạ không_ạ là_gì là_ai ở_đâu đi_đâu từ_đâu khi_nào bao_giờ lúc_nào
        mấy_giờ tại_sao vì_sao như_thế_nào thế_nào bao_nhiêu của_tôi của_anh của_em của_bạn
        cho_tôi_nhé cho_tôi_với với_tôi giúp_tôi_với cho_anh cho_em cho_bạn gọi_cho_tôi
        gặp_anh cảm_ơn_anh cảm_ơn_chị cảm_ơn_em cảm_ơn_bạn cảm_ơn_cô cảm_ơn tôi_cũng_vậy
        như_vậy hay_quá mắc_quá đắt_quá sau_này trước_đó sau_đó trên_đó ở_đó ở_đây ở_trong
        ở_ngoài đi_qua đi_vào đi_ra bước_vào mang_về đi_về về_nhà hai_người ba_người bốn_người
        năm_người bao_nhiêu_người mấy_người còn_anh còn_chị còn_em còn_bạn chào_anh chào_chị
        chào_em chờ_tôi đợi_tôi không_cần có_cần đúng_là_tôi không_muốn hôm_sau tuần_sau
        tháng_sau năm_sau lần_sau tuần_trước lần_trước hôm_trước tháng_trước năm_trước tốt_hơn
        nhiều_hơn ít_hơn rẻ_hơn lớn_hơn nhanh_hơn thích_hơn tốt_nhất nhanh_nhất gần_nhất
        rẻ_nhất sớm_nhất muộn_nhất bình_thường_như_mọi_khi gì_hơn quá tiếp_theo chưa_tới
        chưa_đến vẫn_chưa_tới được_chưa mở_cửa_chưa thứ_hai thứ_ba thứ_tư thứ_năm thứ_sáu
        thứ_bảy"""
    ),
    conditionals=("nếu ", "khi ", "lúc "),
    whole=words(
        """có không vâng dạ ừ ok oke được đúng phải rồi cảm_ơn chào xin_chào alo tạm_biệt dừng
        dừng_lại chờ đợi giúp không_bao_giờ luôn_luôn hôm_nay ngày_mai bây_giờ lát_nữa
        không_ai đủ_rồi lại chính_xác có_lẽ không_cảm_ơn vâng_ạ dạ_vâng dạ_không dạ_có chưa
        chưa_ạ không_ạ được_ạ tất_nhiên tôi_cũng_vậy hiểu_rồi tôi_hiểu_rồi không_biết vậy_thôi
        thế_thôi làm_ơn xin_lỗi dạ_được"""
    ),
    backchannels=words(
        """ừ ừm vâng dạ ok oke được đúng phải rồi hiểu à ồ ừa uh hay tốt thế vậy ra mm hmm"""
    ),
    stops=words("dừng khoan chờ đợi thôi dừng_lại"),
    conjunctions=words("và hoặc nhưng mà vì nên nếu khi thì rằng để bởi tuy"),
    clinging=words(
        """và hoặc nhưng vì nếu khi rằng là thì để cho với của ở trong trên dưới từ đến về một
        các những mỗi rất không đã đang sẽ tôi anh chị em như cái con chúng có được"""
    ),
    abbreviations=words("tp ths ts gs pgs bs q p đ v.d vd tr nxb tt sđt st"),
    may_end=words("v.v đ"),
    reading=Reading(
        currencies={
            "$": ("đô la",),
            "€": ("euro",),
            "£": ("bảng",),
            "₫": ("đồng",),
        },
        plural=only,
        scales=("nghìn", "ngàn", "triệu", "tỷ"),
        decimal=",",
        group=".",
        and_="và",
        number="số",
        to="đến",
        equals="bằng",
        about="khoảng",
        at="a còng",
        dot="chấm",
    ),
    prompts=Prompts(
        greeting="Xin chào, tôi có thể giúp gì cho bạn?",
        fillers=("Xin chờ một chút.", "Để tôi xem."),
        listening=("Dạ.",),
        silence="Bạn còn ở đó không?",
        goodbye="Tôi không nghe thấy bạn. Tạm biệt.",
    ),
)
